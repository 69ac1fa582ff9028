// One node lowered by itself, to see the values and parameters that it makes.
#pragma once

#include <optional>

#include "engine/graph/check/check_tie.h"
#include "engine/program/program.h"

namespace hw {

/// The ops of a node with these inputs, whose symbolic sizes are taken as 1; no value is computed. Nothing where they
/// cannot be known: an input is missing or no tensor, the node needs a file, or it refuses them.
std::optional<Program> lower_alone(const Node& node, const InputTypes& inputs);
/// The same of its twin that computes in f64, with f64 on its wires: its constants are as they were given.
std::optional<Program> lower_alone_in_f64(Node node, InputTypes inputs);

/// Null: every value of the node's program, its parameters among them, could lie in this machine's memory. Else a
/// diagnostic HW-R001 with the size.
std::optional<Diagnostic> check_own_sizes(const Node& node, const Program& program);

}  // namespace hw
