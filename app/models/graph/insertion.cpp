#include "app/models/graph/insertion.h"

#include <algorithm>
#include <cmath>

#include "app/document/wire_checks.h"
#include "app/models/cards/card.h"
#include "app/models/graph/card_layout.h"
#include "engine/core/canvas_grid.h"
#include "engine/graph/groups/group_interface.h"
#include "engine/layout/align.h"

namespace hw::app {
namespace {

/// The sockets by which a wire leads through a node: the first input that takes it, and the first output.
struct Way {
  std::string input, output;
};

std::optional<Way> way_through(const Document& document, const Graph& definitions, const Node& node, const Link& link) {
  const auto declared = declaration_of(definitions, node);
  if (!declared || node.id == link.from || node.id == link.to || (*declared)->outputs().empty()) return std::nullopt;
  const NodeType* type = Registry::instance().find(node.type);
  const Candidate candidate =
      type ? Candidate(*type) : Candidate(definitions, *definitions.find_group(*group_of(node)));
  const auto input = fitting_socket(document, link.from, link.from_socket, true, candidate);
  if (!input) return std::nullopt;
  return Way{*input, (*declared)->outputs().front().id};
}

/// Where groups are defined once the node is there.
const Graph& definitions_of(const Document& document, const Adopted& adopted) {
  return adopted.edits.empty() ? document.graph() : adopted.definitions;
}

QSizeF size_of(const Document& document, const Graph& definitions, const Node& node) {
  Scope scope = document.shown().scope();
  scope.document = &definitions;
  return make_card(scope, node).size;
}

}  // namespace

std::optional<Edits> insertion(const Document& document, const Node& node, const Link& link, const Adopted& adopted) {
  const Graph& graph = document.shown().graph();
  const Graph& definitions = definitions_of(document, adopted);
  const auto way = way_through(document, definitions, node, link);
  if (!way || !graph.links_into(node.id).empty() || !graph.links_from(node.id).empty()) return std::nullopt;

  CardLayout cards = card_layout(document);
  const auto index = [&](const std::string& id) {
    return static_cast<int>(std::find(cards.ids.begin(), cards.ids.end(), id) - cards.ids.begin());
  };
  const bool is_new = !graph.find(node.id);
  if (is_new) {
    const QSizeF size = size_of(document, definitions, node);
    cards.ids.push_back(node.id);
    cards.boxes.push_back({static_cast<int>(size.width()), static_cast<int>(size.height())});
    cards.places.push_back({static_cast<int>(std::lround(node.x)), static_cast<int>(std::lround(node.y))});
  }
  const int placed = index(node.id), from = index(link.from), to = index(link.to);
  cards.wires.push_back({from, placed, 0, 0});
  cards.wires.push_back({placed, to, 0, 0});
  const std::vector<layout::Place> now = layout::with_room(cards.boxes, cards.wires, cards.places, placed,
                                                           static_cast<int>(CardMetrics::gap), kCanvasGrid);
  Edits edits = adopted.edits;
  if (is_new) edits.push_back(AddNode{node});
  edits.push_back(RemoveLink{link});
  edits.push_back(AddLink{Link{link.from, link.from_socket, node.id, way->input}});
  edits.push_back(AddLink{Link{node.id, way->output, link.to, link.to_socket}});
  for (size_t i = 0; i < cards.ids.size(); ++i) {
    const int shift = now[i].x - cards.places[i].x;
    const Node& moved = static_cast<int>(i) == placed ? node : *graph.find(cards.ids[i]);
    if (shift != 0) edits.push_back(MoveNode{moved.id, moved.x + shift, moved.y});
  }
  return edits;
}

std::optional<Node> node_on_wire(const Document& document, const Adopted& type, const Link& link, double x, double y) {
  Node node;
  node.type = type.type;
  node.id = document.shown().graph().fresh_id(type.stem);
  const Graph& definitions = definitions_of(document, type);
  const auto way = way_through(document, definitions, node, link);
  if (!way) return std::nullopt;
  Scope scope = document.shown().scope();
  scope.document = &definitions;
  const Card card = make_card(scope, node);
  node.x = to_grid(x - card.size.width() / 2);
  node.y = to_grid(y - card.anchor(way->input, false).y());
  return node;
}

}  // namespace hw::app
