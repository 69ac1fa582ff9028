#include "engine/graph/groups/interface_edits.h"

#include <algorithm>

#include "engine/core/codes.h"
#include "engine/graph/groups/group_interface.h"
#include "engine/graph/groups/reroute.h"
#include "engine/graph/groups/spacing.h"

namespace hw {
namespace {

/// Where a socket's node goes: in the column of its like, below them; the first beside all nodes.
std::pair<double, double> place_of(const Graph& graph, const Node& at, bool is_output) {
  const Node* lowest = nullptr;
  double edge = at.x;
  for (const auto& [id, node] : graph.nodes()) {
    edge = is_output ? std::max(edge, node.x) : std::min(edge, node.x);
    if (node.type == (is_output ? kOutputType : kInputType) && (!lowest || node.y > lowest->y)) lowest = &node;
  }
  if (!lowest) return {edge + (is_output ? kColumn : -kColumn), at.y};
  return {lowest->x, lowest->y + kRow};
}

std::string lower_case(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

}  // namespace

Result<NewSocket> add_group_socket(const Scope& inside, const std::string& node, const std::string& socket,
                                   bool is_output) {
  const Node* at = inside.graph->find(node);
  const auto declared = at ? declaration_of(*inside.document, *at) : std::nullopt;
  const SocketDecl* like = !declared   ? nullptr
                           : is_output ? (*declared)->find_output(socket)
                                       : (*declared)->find_input(socket);
  if (!like)
    return Error{codes::unknown_socket, node + "." + socket, "\"" + node + "\" has no socket \"" + socket + "\".", ""};
  NewSocket made;
  Node added;
  added.type = is_output ? kOutputType : kInputType;
  added.id = made.id = inside.graph->fresh_id(lower_case(socket));
  added.label = like->label;
  if (like->kind != Kind::tensor) added.params["kind"] = std::string(name(like->kind));
  std::tie(added.x, added.y) = place_of(*inside.graph, *at, is_output);
  made.edits.push_back(AddNode{added});
  made.edits.push_back(AddLink{is_output ? Link{node, socket, added.id, "x"} : Link{added.id, "y", node, socket}});
  return made;
}

Edits move_group_socket(const Group& group, const std::string& socket, size_t place) {
  const Node* moved = group.graph.find(socket);
  std::vector<const Node*> side = sockets_of(group.graph);
  std::erase_if(side, [&](const Node* node) { return !moved || node->type != moved->type; });
  std::vector<std::pair<double, double>> places;
  for (const Node* node : side) places.emplace_back(node->x, node->y);
  if (std::erase(side, moved) == 0) return {};
  side.insert(side.begin() + static_cast<ptrdiff_t>(std::min(place, side.size())), moved);
  Edits edits;
  for (size_t i = 0; i < side.size(); ++i) {
    const auto [x, y] = places[i];
    if (side[i]->x != x || side[i]->y != y) edits.push_back(MoveNode{side[i]->id, x, y});
  }
  return edits;
}

Group with_param_moved(Group group, const std::string& param, size_t place) {
  std::vector<PromotedParam> moved, rest;
  for (PromotedParam& promoted : group.params) (promoted.id == param ? moved : rest).push_back(std::move(promoted));
  auto at = rest.begin();
  for (size_t n = 0; at != rest.end() && n < place; ++n) {
    const std::string passed = at->id;
    at = std::find_if(at, rest.end(), [&](const PromotedParam& p) { return p.id != passed; });
  }
  rest.insert(at, moved.begin(), moved.end());
  group.params = std::move(rest);
  return group;
}

Group with_param_named(Group group, const std::string& param, const std::string& label) {
  const auto found = std::ranges::find(group.params, param, &PromotedParam::id);
  if (found != group.params.end()) found->label = label;
  return group;
}

Result<Group> with_param_default(Group group, const std::string& param, const std::optional<ParamValue>& value) {
  Edits edits;
  for (const PromotedParam& promoted : group.params)
    if (promoted.id == param) edits.push_back(SetParam{promoted.node, promoted.param, value});
  HW_CHECK(apply_edits(group.graph, edits));
  return group;
}

}  // namespace hw
