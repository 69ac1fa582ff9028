// Bodies of engine/kernels with all that they call, as one readable piece of GLSL.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "engine/shader/glsl_body.h"

namespace hw::shader {

/// Extensions of GLSL, and what else stands before a shader's text.
struct GlslNeeds {
  bool f64 = false, i64 = false;

  /// "#extension …" lines. `exact_zeros`: for a device that can keep −0, Inf and NaN
  /// (shaderSignedZeroInfNanPreserveFloat32, and 64 where f64 is used), ask it to. Mesa's llvmpipe makes x of x + 0 and
  /// 0 of x * 0 even so where it sees that the 0 is constant: what calls a function should load numbers that may be 0.
  std::string extensions(bool exact_zeros) const;
};

class GlslLibrary final : private Callees {
 public:
  /// `bodies` outlive it.
  explicit GlslLibrary(const Bodies& bodies) : bodies_(bodies) {}

  /// Prints what `name`, "unary::gelu", calls, then it, unless they are there. A template: for `real`, f32 or f64; of
  /// others the overload whose first parameter is `real`. Error HW-R008: a name that is not there, or something in it
  /// or in what it calls that has no GLSL.
  Result<const GlslFunction*> add(const std::string& name, Scalar real);

  /// Each function behind those that it calls; without #version and extensions.
  std::string text() const { return constant_text_ + text_; }
  const GlslNeeds& needs() const { return needs_; }

 private:
  struct Printed {
    Instance instance;
    GlslFunction function;
  };
  struct Named {
    const Constant* constant;
    std::string name;
  };
  Result<const GlslFunction*> function(const Instance& instance) override;
  Result<std::string> constant(const Constant& constant) override;

  const Bodies& bodies_;
  std::vector<Instance> open_;
  std::deque<Printed> printed_;  // addresses stay
  std::vector<Named> constants_;
  std::string constant_text_, text_;
  GlslNeeds needs_;
};

}  // namespace hw::shader
