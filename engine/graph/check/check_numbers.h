// The numbers that a node's parameters and formulas put into wires, checked in the dtype they are stored in.
#pragma once

#include "engine/core/held_number.h"
#include "engine/graph/check/check_tie.h"
#include "engine/graph/check/validate.h"
#include "engine/program/program.h"

namespace hw {

/// HW-P001, a warning, for each number that the node's dtype cannot hold (unheld()): a constant that becomes Inf, an
/// epsilon that becomes 0, a bound of a Clip that then bounds nothing; an info for a whole number that becomes another.
/// Remedies: the nearest number that it holds, a wider dtype for the node. The same for the numbers of a constant
/// that the node casts. `program`: of lower_alone(node, inputs). Numbers that a node computes with in a wider dtype, or
/// chooses by its dtype, are none of these.
std::vector<Diagnostic> check_numbers(const Graph& graph, const Node& node, const InputTypes& inputs,
                                      const Program& program);

/// A number that the dtype which a node stores it in cannot hold.
struct UnheldNumber {
  /// The parameter that says the number, and the parameter with the nearest that is held in its place; the second is
  /// nothing where a user must write it.
  struct Place {
    std::string param;
    std::optional<ParamValue> with;
  };
  double value;
  DType dtype;  // that it is stored in
  Unheld lost;
  Place place;
};

/// Those of a node of a graph, at most a few at a time; none of a node that cannot be lowered.
std::vector<UnheldNumber> unheld_numbers(const Graph& graph, const Validator& validator, const Node& node);

}  // namespace hw
