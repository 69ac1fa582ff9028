#include "app/interop/onnx/lay_out_nodes.h"

#include <algorithm>
#include <unordered_map>

#include "engine/layout/layout.h"

namespace hw::interop {
namespace {

constexpr int kCardWidth = 208, kCardTop = 40, kCardRow = 24;  // about what a card takes

}  // namespace

void lay_out_nodes(Graph& graph) {
  std::unordered_map<std::string, int> index;
  std::vector<std::string> ids;
  std::vector<layout::Box> boxes;
  std::vector<layout::Wire> wires;
  for (const auto& [id, node] : graph.nodes()) {
    index[id] = static_cast<int>(ids.size());
    ids.push_back(id);
    const int rows = 2 + static_cast<int>(std::min<size_t>(4, node.params.size()));
    boxes.push_back({kCardWidth, kCardTop + kCardRow * rows});
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

}  // namespace hw::interop
