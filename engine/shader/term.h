// An expression as it is printed: its text with its type.
#pragma once

#include <optional>
#include <string>

#include "engine/shader/scalar.h"

namespace hw::shader {

// How tightly an expression's outermost operator binds; those of two operands are 0 to 9, as in C++ and GLSL.
inline constexpr int kChoiceLevel = -1, kPrefixLevel = 15, kPrimaryLevel = 20;

struct Term {
  std::string text;
  Scalar type = Scalar::nothing;
  int level = kPrimaryLevel;
  std::optional<double> value = {};  // of a literal, or a formula of f64 literals
  std::string narrowed = {};         // the f64 parameter that this is, ± and printed as f32

  /// In parentheses where its operator binds less than `least`.
  std::string at(int least) const { return level < least ? "(" + text + ")" : text; }
};

/// A literal of C++; nothing: not one that is understood.
std::optional<Term> literal_term(const std::string& text);
/// `value` as a literal of `type`.
Term constant_term(double value, Scalar type);
/// `term`, which is no narrowed parameter, as `type`.
Term converted(const Term& term, Scalar type);

}  // namespace hw::shader
