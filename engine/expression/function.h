// The functions of the expression language: what they take and give. Type names are functions too: see check.h.
#pragma once

#include <span>
#include <string_view>

namespace hw::expression {

/// How the type of a call follows from its arguments.
enum class Rule : uint8_t {
  map,        // floats and vectors of one size, a float stretched to it: component by component
  dot,        // two vectors of one size → float
  cross,      // two vec3 → vec3
  length,     // one vector → float
  normalize,  // one vector → the same
  distance,   // two vectors of one size → float
  transpose,  // one matrix → the same
  select,     // a bool and two of one type → that type
};

struct Function {
  std::string_view name;
  std::string_view usage;  // "mix(a, b, t)"
  size_t args;
  Rule rule;
  double (*value)(const double*) = nullptr;  // of constants; null: not a function of numbers alone
};

std::span<const Function> functions();
/// Null: there is none.
const Function* find_function(std::string_view name);

}  // namespace hw::expression
