// What passes make of a graph's nodes where it is evaluated: what a canvas shows of them.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "engine/graph/lower.h"
#include "engine/passes/program_passes.h"

namespace hw {

/// The tensors that a graph's sinks take: losses, and what viewers show. `flat`: without groups.
std::vector<SocketRef> sink_wires(const Graph& flat);

/// The notes of all passes where what the sinks take is evaluated and nodes without a device of their own run on
/// `device`, by id. Errors: what lowering reports.
Result<std::vector<PassNote>> trace_passes(const Graph& flat, Assets& assets, std::string_view device);

}  // namespace hw
