// How passes change a graph's nodes when it is evaluated, for display on a canvas.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "engine/graph/check/validate.h"
#include "engine/graph/lower/lower.h"
#include "engine/passes/program_passes.h"

namespace hw {

/// The tensors that a graph's sinks take: losses, and what viewers show. Not those of sinks with an error behind them.
/// `flat`: without groups, as the validator has seen it.
std::vector<SocketRef> sink_wires(const Graph& flat, const Validator& validator);

/// The notes of all passes where all of `wires` are evaluated together, and nodes without a device of their own, or
/// with one that this machine lacks, run on `device`, by id. (Where fewer wires are evaluated, passes may do more.)
/// Errors: what lowering reports.
Result<std::vector<PassNote>> trace_passes(const Graph& flat, std::span<const SocketRef> wires, Assets& assets,
                                           std::string_view device);

}  // namespace hw
