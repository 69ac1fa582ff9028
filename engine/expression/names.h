// Names that a source uses, and the names that were probably meant.
#pragma once

#include <map>
#include <set>

#include "engine/expression/syntax.h"

namespace hw::expression {

/// How a name without a declaration is used.
struct Use {
  std::string name;
  Place place;            // where first
  int components = 0;     // as many as those that are read (assigned) ask for; 0: it is used as a whole only
  bool assigned = false;  // else: read only
  bool whole = false;     // its first assignment is to all of it
};

/// All names that are not declared with `in`, `out` or `let` before, in the order of their first use: reads of names
/// that are never assigned, and names that are assigned.
std::vector<Use> uses_of(const std::vector<Statement>& statements);

/// The component that a letter of xyzw or rgba stands for; -1: none.
int component_of(char letter);
/// The name among `known` that `name` was probably meant to be; empty: none is near.
std::string nearest(std::string_view name, const std::vector<std::string>& known);
/// The value of a name that stands for a number: pi.
std::optional<double> named_number(std::string_view name);

}  // namespace hw::expression
