#include "engine/graph/group_interface.h"

#include <algorithm>
#include <tuple>

#include "engine/graph/scope.h"

namespace hw {

std::optional<ParamDecl> declared_param(const Graph& document, const Group& group, const PromotedParam& promoted) {
  const Node* node = group.graph.find(promoted.node);
  if (!node) return std::nullopt;
  std::optional<ParamDecl> param;
  if (const auto inner = group_of(*node)) {
    const Group* of = document.find_group(*inner);
    if (!of) return std::nullopt;
    const auto next = std::ranges::find(of->params, promoted.param, &PromotedParam::id);
    if (next != of->params.end()) param = declared_param(document, *of, *next);
  } else if (const NodeType* type = Registry::instance().find(node->type)) {
    if (const ParamDecl* declared = type->decl.find_param(promoted.param)) param = *declared;
  }
  if (!param) return std::nullopt;
  if (const auto own = node->params.find(promoted.param); own != node->params.end()) param->value = own->second;
  param->id = promoted.id;
  if (!promoted.label.empty()) param->label = promoted.label;
  param->group.clear();
  param->only_where.reset();  // what it depends on is inside
  return param;
}

NodeDecl interface_of(const Graph& document, const Group& group) {
  NodeDecl decl;
  std::vector<const Node*> sockets;
  for (const auto& [id, node] : group.graph.nodes())
    if (node.type == kInputType || node.type == kOutputType) sockets.push_back(&node);
  std::ranges::stable_sort(sockets, {}, [](const Node* node) { return std::tuple(node->y, node->x); });
  for (const Node* node : sockets) {
    SocketDecl& socket = node->type == kInputType ? decl.input(node->id) : decl.output(node->id);
    if (!node->label.empty()) socket.labelled(node->label);
    const Declaration declaration = Registry::instance().find(node->type)->declared(node->params);
    socket.kind = declaration->outputs().front().kind;
  }
  for (const PromotedParam& promoted : group.params) {
    if (auto param = declared_param(document, group, promoted)) decl.real(promoted.id, 0) = *std::move(param);
  }
  return decl;
}

}  // namespace hw
