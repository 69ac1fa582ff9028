#include "app/models/graph/card_layout.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "app/document/document.h"
#include "app/models/cards/card.h"

namespace hw::app {

CardLayout card_layout(const Document& document, const std::vector<std::string>& ids) {
  const Graph& graph = document.shown().graph();
  CardLayout cards;
  if (ids.empty()) {
    for (const auto& [id, node] : graph.nodes()) cards.ids.push_back(id);
  } else {
    for (const std::string& id : ids)
      if (graph.find(id)) cards.ids.push_back(id);
  }
  const bool in_group = !document.shown().path().empty();
  const auto is_socket = [](const Node& node) { return node.type == kInputType || node.type == kOutputType; };
  if (in_group) {
    std::stable_sort(cards.ids.begin(), cards.ids.end(), [&](const std::string& a, const std::string& b) {
      const Node &p = *graph.find(a), &q = *graph.find(b);
      if (is_socket(p) != is_socket(q)) return is_socket(p);
      return is_socket(p) && std::pair(p.y, p.x) < std::pair(q.y, q.x);
    });
  }
  std::unordered_map<std::string, int> index;
  std::vector<Card> made;
  for (const std::string& id : cards.ids) {
    const Node& node = *graph.find(id);
    index[id] = static_cast<int>(made.size());
    const Card& card = made.emplace_back(make_card(document.shown().scope(), node));
    const auto side = !in_group                  ? layout::Side::any
                      : node.type == kInputType  ? layout::Side::first
                      : node.type == kOutputType ? layout::Side::last
                                                 : layout::Side::any;
    cards.boxes.push_back({static_cast<int>(card.size.width()), static_cast<int>(card.size.height()), side});
    cards.places.push_back({static_cast<int>(std::lround(node.x)), static_cast<int>(std::lround(node.y))});
  }
  for (const std::string& id : cards.ids) {
    for (const Link& link : graph.links_into(id)) {
      const auto from = index.find(link.from);
      if (from == index.end()) continue;
      const int to = index[id];
      const double out_y = made[static_cast<size_t>(from->second)].anchor(link.from_socket, true).y();
      const double in_y = made[static_cast<size_t>(to)].anchor(link.to_socket, false).y();
      cards.wires.push_back({from->second, to, static_cast<int>(out_y), static_cast<int>(in_y)});
    }
  }
  return cards;
}

}  // namespace hw::app
