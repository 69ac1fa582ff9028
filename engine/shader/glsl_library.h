// Bodies of engine/kernels with all that they call, as one readable piece of GLSL.
#pragma once

#include <string>
#include <vector>

#include "engine/shader/glsl_body.h"

namespace hw::shader {

struct GlslLibrary {
  std::string text;                     // each function behind those that it calls; without #version and extensions
  std::vector<GlslFunction> functions;  // those that were asked for, in that order
  bool uses_f64 = false, uses_i64 = false;

  /// "#extension …" lines that the text needs. `exact_zeros`: for a device that can keep −0, Inf and NaN
  /// (shaderSignedZeroInfNanPreserveFloat32, and 64 where f64 is used), ask it to. Mesa's llvmpipe makes x of x + 0 and
  /// 0 of x * 0 even so where it sees that the 0 is constant: what calls a function should load numbers that may be 0.
  std::string extensions(bool exact_zeros) const;
};

/// `names`: "unary::gelu"; a template for `real`, f32 or f64, of others the overload whose first parameter is `real`.
/// Error HW-R008: a name that is not there, or something in it or in what it calls that has no GLSL.
Result<GlslLibrary> glsl_library(const Bodies& bodies, const std::vector<std::string>& names, Scalar real);

}  // namespace hw::shader
