// Weights beside the graph that a command writes: set aside, and what is noted of them.
#pragma once

#include <filesystem>

#include "engine/core/result.h"

namespace hw::cli {

/// workspace::set_aside of a file of weights and the optimiser's state beside it, which is noted on stderr: beside a
/// graph that is written they would be taken for its own. Error HW-F002.
Status set_weights_aside(const std::filesystem::path& weights);

/// Notes on stderr that weights beside `graph`, where there are any, are not those of what is written to `out`.
void note_weights_stay(const std::filesystem::path& graph, const std::filesystem::path& out);

}  // namespace hw::cli
