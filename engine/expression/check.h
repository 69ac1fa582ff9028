// The check of a parsed source: names, types, and that everything is set before it is read.
#pragma once

#include "engine/expression/syntax.h"

namespace hw::expression {

struct Variable {
  enum class Role : uint8_t { input, output, local } role = Role::local;
  std::string name;
  Type type;
  Place place;
};

/// One assignment: `value` to the components `target` of a variable (row by row in a matrix); none: to all of it.
struct Step {
  int variable = 0;
  std::vector<int> target;
  ExprPtr value;
};

/// A source whose every expression has its type, and every name its variable.
struct Checked {
  std::vector<Variable> variables;
  std::vector<int> inputs, outputs;  // indices of variables, in the order of the sockets
  std::vector<Step> steps;
};

/// Sockets a source can have on each side.
inline constexpr size_t kMaxSockets = 16;

/// What goes in and out:
///   names declared with `in` and `out`; else
///   names that are read and never assigned are inputs, in the order in which they are read, each a vector as long as
///   the components read of it ask for, or a float;
///   names that are assigned and not declared with `let` are outputs, in the order of assignment, of the type they are
///   given as a whole, or a vector as long as the components assigned ask for.
/// Errors: HW-X002 to HW-X005; see place.h.
Result<Checked> check(std::vector<Statement> statements);

}  // namespace hw::expression
