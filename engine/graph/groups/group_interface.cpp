#include "engine/graph/groups/group_interface.h"

#include <algorithm>
#include <tuple>

#include "engine/graph/groups/scope.h"

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

std::vector<const Node*> sockets_of(const Graph& graph) {
  std::vector<const Node*> sockets;
  for (const auto& [id, node] : graph.nodes())
    if (node.type == kInputType || node.type == kOutputType) sockets.push_back(&node);
  std::ranges::stable_sort(sockets, {}, [](const Node* node) { return std::tuple(node->y, node->x); });
  return sockets;
}

std::string title_of(const Group& group) {
  return group.title.empty() ? group.id : group.title;
}

NodeDecl interface_of(const Graph& document, const Group& group) {
  NodeDecl decl;
  for (const Node* node : sockets_of(group.graph)) {
    SocketDecl& socket = node->type == kInputType ? decl.input(node->id) : decl.output(node->id);
    if (!node->label.empty()) socket.labelled(node->label);
    const Declaration declaration = Registry::instance().find(node->type)->declared(node->params);
    socket.kind = declaration->outputs().front().kind;
  }
  for (const PromotedParam& promoted : group.params) {
    if (decl.find_param(promoted.id)) continue;  // the first of them says what it is
    if (auto param = declared_param(document, group, promoted)) decl.real(promoted.id, 0) = *std::move(param);
  }
  decl.title(title_of(group)).category(group.category.empty() ? "Group" : group.category);
  const std::string line = group.description.substr(0, group.description.find('\n'));
  const size_t sentence = line.find(". ");
  decl.summary(sentence == std::string::npos ? line : line.substr(0, sentence + 1));
  decl.doc(group.description).keywords(group.keywords);
  return decl;
}

std::optional<Declaration> declaration_of(const Graph& document, const Node& node) {
  if (const NodeType* type = Registry::instance().find(node.type)) return type->declared(node.params);
  const auto id = group_of(node);
  const Group* group = id ? document.find_group(*id) : nullptr;
  return group ? std::optional(Declaration(interface_of(document, *group))) : std::nullopt;
}

}  // namespace hw
