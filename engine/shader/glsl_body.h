// One body of engine/kernels as GLSL 4.60 that computes the same bits: every float is precise, so that nothing is
// contracted.
#pragma once

#include <string>
#include <vector>

#include "engine/core/result.h"
#include "engine/shader/scalar.h"
#include "engine/shader/syntax.h"

namespace hw::shader {

/// A body with what its template parameters are.
struct Instance {
  const Body* body = nullptr;
  std::vector<Scalar> types;

  bool operator==(const Instance&) const = default;
};

struct GlslFunction {
  std::string name;  // "math_exp", of hw::kernels itself "hw_relu"; overloads share it
  Scalar result = Scalar::nothing;
  /// In an instance of f32, a parameter of f64 that the body only reads as f32 is one of f32.
  std::vector<Scalar> parameters = {};
  std::string text = {};
  bool uses_f64 = false, uses_i64 = false;
};

/// What is printed before the body that asks for it.
class Callees {
 public:
  virtual ~Callees() = default;
  virtual Result<const GlslFunction*> function(const Instance& instance) = 0;
  /// Its name in GLSL.
  virtual Result<std::string> constant(const Constant& constant) = 0;
};

/// Error HW-R008 with file and line: what has no GLSL, or no type.
Result<GlslFunction> print_body(const Instance& instance, const Bodies& bodies, Callees& callees);
/// `const float math_kName = …;`
Result<GlslFunction> print_constant(const Constant& constant, const Bodies& bodies, Callees& callees);

/// The body that a call of `name` within `scope` means, of arguments of these types. Error HW-R008, without a place:
/// there is none, or several fit.
Result<Instance> find_body(const Bodies& bodies, const std::string& scope, const std::string& name,
                           const std::vector<Scalar>& arguments);
/// A type by its name; `types` are those of `templates`. nothing: void, and what is none.
Scalar scalar_of(const TypeName& type, const std::vector<std::string>& templates, const std::vector<Scalar>& types);

}  // namespace hw::shader
