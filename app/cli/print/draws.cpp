#include "app/cli/print/draws.h"

#include "engine/graph/node_draws.h"
#include "engine/program/random_ops.h"

namespace hw::cli {
namespace {

std::optional<RandomStream> stream_of_node(const Graph& graph, const std::string& id) {
  const Node* node = graph.find(id);
  const RandomParams random = node ? node_draws(*node) : RandomParams();
  return random.draws ? std::optional(random.stream()) : std::nullopt;
}

}  // namespace

std::optional<Draw> draw_of_node(const Graph& graph, const std::string& node, uint64_t seed, uint64_t step) {
  const auto stream = stream_of_node(graph, node);
  return stream ? std::optional(draw_of(*stream, seed, step, 0)) : std::nullopt;
}

std::string draw_text_of_node(const Graph& graph, const std::string& node, uint64_t seed, uint64_t step) {
  const auto stream = stream_of_node(graph, node);
  return stream ? draw_text(*stream, seed, step) : std::string();
}

nlohmann::ordered_json to_json(const std::optional<Draw>& draw) {
  if (!draw) return nullptr;
  return {{"seed", draw->seed}, {"stream", draw->stream}, {"step", draw->step}};
}

}  // namespace hw::cli
