#include "app/interop/onnx/lay_out_nodes.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "engine/graph/groups/scope.h"
#include "engine/layout/layout.h"
#include "engine/node/node_type.h"

namespace hw::interop {
namespace {

constexpr int kCardWidth = 208, kCardTop = 44, kCardRow = 30;  // about what a card takes
constexpr int kColumn = kCardWidth + 72, kGap = 40;            // between columns, and cards below each other
constexpr size_t kMostParams = 4;                              // that a card shows

/// Rows of sockets and parameters.
int rows_of(const Graph& graph, const Node& node) {
  const NodeType* type = Registry::instance().find(node.type);
  if (!type) return static_cast<int>(std::max<size_t>(1, graph.links_into(node.id).size()));
  const Declaration declared = type->declared(node.params);
  return static_cast<int>(std::max({size_t{1}, declared->inputs().size(), declared->outputs().size()}) +
                          std::min(kMostParams, declared->params().size()));
}

/// The nodes stand in this order from top to bottom: as they are, or in a column of their own, left or right of all.
void order_downwards(Graph& graph, const std::vector<std::string>& ids, bool is_left) {
  std::vector<std::pair<double, double>> places;
  for (const std::string& id : ids) places.emplace_back(graph.node(id).y, graph.node(id).x);
  if (std::ranges::is_sorted(places)) return;
  std::optional<double> left, right;  // of all others
  for (const auto& [id, node] : graph.nodes()) {
    if (std::ranges::count(ids, id) > 0) continue;
    left = std::min(left.value_or(node.x), node.x);
    right = std::max(right.value_or(node.x), node.x);
  }
  std::ranges::sort(places);
  double free = places.front().first;
  for (size_t i = 0; i < ids.size(); ++i) {
    Node& node = graph.node(ids[i]);
    node.x = is_left ? left.value_or(0) - kColumn : right.value_or(0) + kColumn;
    node.y = std::max(free, places[i].first);
    free = node.y + kCardTop + kCardRow * rows_of(graph, node) + kGap;
  }
}

}  // namespace

void lay_out_nodes(Graph& graph) {
  std::unordered_map<std::string, int> index;
  std::vector<std::string> ids;
  std::vector<layout::Box> boxes;
  std::vector<layout::Wire> wires;
  for (const auto& [id, node] : graph.nodes()) {
    index[id] = static_cast<int>(ids.size());
    ids.push_back(id);
    boxes.push_back({kCardWidth, kCardTop + kCardRow * rows_of(graph, node)});
  }
  for (const Link& link : graph.links())
    wires.push_back({index.at(link.from), index.at(link.to), kCardTop + kCardRow / 2, kCardTop + kCardRow / 2});
  const auto places = layout::lay_out(boxes, wires);
  if (!places) return;
  for (size_t i = 0; i < ids.size(); ++i) {
    Node& node = graph.node(ids[i]);
    node.x = static_cast<double>((*places)[i].x);
    node.y = static_cast<double>((*places)[i].y);
  }
}

void lay_out_model(ImportedModel& model) {
  lay_out_nodes(model.graph);
  std::vector<std::string> inputs;
  for (const ScopedNode& n : model.nodes)
    if (const Node* node = model.graph.find(n.id); node && node->type == kInputType) inputs.push_back(n.id);
  order_downwards(model.graph, inputs, true);
  order_downwards(model.graph, model.output_nodes, false);
}

}  // namespace hw::interop
