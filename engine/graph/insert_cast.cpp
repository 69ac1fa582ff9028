#include "engine/graph/insert_cast.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/node/dtype_join.h"

namespace hw {
namespace {

// Canvas units: about what a node takes on it.
constexpr double kWidth = 216, kHeader = 40, kSocket = 24, kParam = 32, kGap = 24;
constexpr size_t kMostParams = 4;

double height_of(const Node& node) {
  const NodeType* type = Registry::instance().find(node.type);
  if (!type || node.collapsed) return kHeader;
  const Declaration declared = type->declared(node.params);
  const size_t sockets = std::max(declared->inputs().size(), declared->outputs().size());
  const size_t params = std::min(kMostParams, type->decl.params().size());
  return kHeader + kSocket * static_cast<double>(sockets) + kParam * static_cast<double>(params);
}

/// Nodes that are nearer than a width lie in neighbouring columns.
int64_t column_of(double x) {
  return static_cast<int64_t>(std::clamp(std::floor(x / kWidth), -1e15, 1e15));
}

}  // namespace

bool is_cast_target(DType dtype) {
  if (!info(dtype).is_float) return false;
  const NodeType* cast = Registry::instance().find("cast");
  const ParamDecl* to = cast ? cast->decl.find_param("to") : nullptr;
  return to && std::find(to->choices.begin(), to->choices.end(), name(dtype)) != to->choices.end();
}

std::string insert_cast_words(DType from, DType to) {
  const bool loses = info(from).is_float && info(to).is_float && !embeds(from, to);
  return (loses ? "Insert Lossy Cast " : "Insert Cast ") + std::string(name(from)) + " → " + std::string(name(to));
}

std::string insert_cast_label(DType from, DType to) {
  const bool loses = info(from).is_float && info(to).is_float && !embeds(from, to);
  return insert_cast_words(from, to) + (loses ? " (" + cast_effect(from, to) + ")" : "");
}

Node cast_between(const Graph& graph, const Link& link, DType to, std::string id) {
  const Node *source = graph.find(link.from), *target = graph.find(link.to);
  Node node;
  node.id = std::move(id);
  node.type = "cast";
  node.params["to"] = std::string(name(to));
  if (source && target) {
    node.x = (source->x + target->x) / 2;
    node.y = (source->y + target->y) / 2;
  }
  return node;
}

Edits insert_cast(const Graph& graph, const Link& link, DType to) {
  Node node = cast_between(graph, link, to, graph.fresh_id("cast"));
  const std::string id = node.id;
  return {RemoveLink{link}, AddNode{std::move(node)}, AddLink{{link.from, link.from_socket, id, "x"}},
          AddLink{{id, "y", link.to, link.to_socket}}};
}

Room::Room(const Graph& graph) {
  for (const auto& [id, n] : graph.nodes()) columns_[column_of(n.x)].push_back({n.x, n.y, 0, &n});
}

void Room::take(Node& node) {
  const int64_t column = column_of(node.x);
  std::vector<Spot*> near;
  for (const int64_t c : {column - 1, column, column + 1}) {
    const auto found = columns_.find(c);
    if (found == columns_.end()) continue;
    for (Spot& spot : found->second)
      if (std::abs(spot.x - node.x) < kWidth) near.push_back(&spot);
  }
  std::sort(near.begin(), near.end(), [](const Spot* a, const Spot* b) { return a->y < b->y; });
  const double height = height_of(node);
  for (Spot* spot : near) {
    if (spot->node) spot->height = height_of(*std::exchange(spot->node, nullptr));
    const double bottom = spot->y + spot->height;
    if (spot->y < node.y + height && node.y < bottom) node.y = bottom + kGap;
  }
  columns_[column].push_back({node.x, node.y, height, nullptr});
}

}  // namespace hw
