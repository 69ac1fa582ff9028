// What GLSL calls its own.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/shader/scalar.h"

namespace hw::shader {

/// A name for a variable of a body: with "_" behind it where GLSL has the name for itself.
std::string glsl_variable(const std::string& name);

/// A function of GLSL with the same bits: of the standard library ("floor"), or of engine/kernels/bits.h
/// ("math::bits_of").
struct GlslBuiltin {
  std::string_view name;
  Scalar argument;
  int arguments;
  Scalar result;
  std::string_view glsl;
};
/// nullptr: there is none.
const GlslBuiltin* glsl_builtin(std::string_view name, Scalar argument);

}  // namespace hw::shader
