// The numbers that a node's parameters and formulas put into wires, checked in the dtype they are stored in.
#pragma once

#include "engine/graph/check_tie.h"
#include "engine/graph/precision_plan.h"
#include "engine/program/program.h"

namespace hw {

/// HW-P001, a warning, for each number that the node's dtype cannot hold (unheld()): a constant that becomes Inf, an
/// epsilon that becomes 0, a bound of a Clip that then bounds nothing; an info for a whole number that becomes another.
/// Remedies: the nearest number that it holds, a wider dtype for the node. The same for the numbers of a constant
/// that the node casts. `program`: of lower_alone(node, inputs). Numbers that a node computes with in a wider dtype, or
/// chooses by its dtype, are none of these.
std::vector<Diagnostic> check_numbers(const Graph& graph, const Node& node, const InputTypes& inputs,
                                      const Program& program);

/// What the plan's dtypes do to such numbers: one that would become Inf is set to the nearest that is held, by an edit
/// and a note; every other gets a note.
void look_at_numbers(const Graph& graph, PrecisionPlan& plan);

}  // namespace hw
