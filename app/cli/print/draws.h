// What a node of a graph draws its random numbers from.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "engine/graph/graph.h"
#include "engine/program/random_stream.h"

namespace hw::cli {

/// In the forward pass of `step` (from 0) of a run with `seed`; none: there is no such node, or it draws nothing.
std::optional<Draw> draw_of_node(const Graph& graph, const std::string& node, uint64_t seed, uint64_t step);
/// "seed 7, stream 0x5f3a01c9, step 12 (fixed)", with steps counted from 1; "".
std::string draw_text_of_node(const Graph& graph, const std::string& node, uint64_t seed, uint64_t step);
/// {seed, stream, step}, with steps counted from 0; null.
nlohmann::ordered_json to_json(const std::optional<Draw>& draw);

}  // namespace hw::cli
