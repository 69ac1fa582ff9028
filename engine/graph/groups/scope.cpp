#include "engine/graph/groups/scope.h"

#include <algorithm>

namespace hw {
namespace {

const ParamValue* value_of(const Scope& scope, const Node& node, const std::string& param) {
  if (const auto given = scope.values.find({node.id, param}); given != scope.values.end()) return given->second;
  const auto own = node.params.find(param);
  return own == node.params.end() ? nullptr : &own->second;
}

/// In the kind that the parameter has, where it may have the value: 1 is 1.0 for a real.
ParamValue in_its_kind(const Node& node, std::string_view param, const ParamValue& value) {
  const NodeType* type = Registry::instance().find(node.type);
  const ParamDecl* decl = type ? type->decl.find_param(param) : nullptr;
  if (!decl) return value;
  auto checked = check_param(*decl, value);
  return checked ? *std::move(checked) : value;
}

/// Empty where an instance on the way has none.
std::string joined_name(const Scope& scope, const Node& node) {
  if (!scope.outer || node.name.empty()) return node.name;
  return scope.name.empty() ? std::string() : scope.name + "." + node.name;
}

/// The output that a wire in `scope` comes from.
std::pair<std::string, std::string> source(const Scope& scope, const Link& link) {
  const Node* from = scope.graph->find(link.from);
  const Group* group = from ? definition(scope, *from) : nullptr;
  const Node* output = group ? group->graph.find(link.from_socket) : nullptr;
  if (output && output->type == kOutputType) return {scope.prefix + link.from + "/" + link.from_socket, "y"};
  return {scope.prefix + link.from, link.from_socket};
}

Link link_to(const Scope& scope, const Link& link, std::string to, std::string to_socket) {
  auto [from, from_socket] = source(scope, link);
  return {std::move(from), std::move(from_socket), std::move(to), std::move(to_socket)};
}

/// Whether the socket of instances is one of the group's.
bool is_input(const Scope& inside, const std::string& socket) {
  const Node* input = inside.graph->find(socket);
  return input && input->type == kInputType;
}

/// What the socket of an Input or Output carries.
std::string kind_of(const Scope& scope, const Node& socket) {
  const ParamValue* kind = value_of(scope, socket, "kind");
  const std::string* text = kind ? std::get_if<std::string>(kind) : nullptr;
  return text ? *text : "tensor";
}

/// A bypassed group hands its first wired input of an output's kind through to it.
void add_handed_through(const Scope& scope, const Node& output, std::vector<Link>& links) {
  const std::string kind = kind_of(scope, output);
  for (const auto& [id, node] : scope.graph->nodes()) {
    if (node.type != kInputType || kind_of(scope, node) != kind) continue;
    if (scope.outer->graph->links_into(scope.instance->id, id).empty()) continue;
    links.push_back({scope.prefix + id, "y", scope.prefix + output.id, "x"});
    return;
  }
}

/// Whose parameters the node uses, flattened; empty: its own.
std::string owner_of(const Scope& scope, const Node& node) {
  if (!scope.tied.empty()) return scope.tied + (node.tie.empty() ? node.id : node.tie);
  return node.tie.empty() ? std::string() : scope.prefix + node.tie;
}

void find_instances(const Scope& scope, std::string_view group, std::set<std::string>& found) {
  for (const auto& [id, node] : scope.graph->nodes()) {
    const auto of = group_of(node);
    if (of == group) found.insert(scope.prefix + id);
    if (const auto inside = enter(scope, node); inside && of != group) find_instances(*inside, group, found);
  }
}

}  // namespace

std::set<std::string> instances_of(const Graph& document, std::string_view group) {
  std::set<std::string> found;
  find_instances(document_scope(document), group, found);
  return found;
}

const Group* definition(const Scope& scope, const Node& node) {
  const auto id = group_of(node);
  return id ? scope.document->find_group(*id) : nullptr;
}

const Group* definition_at(const Scope& scope) {
  return scope.instance ? definition(*scope.outer, *scope.instance) : nullptr;
}

Scope document_scope(const Graph& document) {
  Scope scope;
  scope.document = scope.graph = &document;
  return scope;
}

NodePlace::NodePlace(const Graph& document, std::string_view path) {
  scopes.push_back(document_scope(document));
  while (true) {
    const size_t slash = path.find('/');
    node = scopes.back().graph->find(path.substr(0, slash));
    if (!node || slash == path.npos) return;
    auto inside = enter(scopes.back(), *node);
    node = nullptr;
    if (!inside) return;
    scopes.push_back(*std::move(inside));
    path.remove_prefix(slash + 1);
  }
}

std::pair<std::string, std::string> value_source(const Scope& scope, const Node& node, const std::string& param) {
  const auto given = scope.values.find({node.id, param});
  if (given == scope.values.end()) return {scope.prefix + node.id, param};
  for (const PromotedParam& promoted : definition(*scope.outer, *scope.instance)->params) {
    if (promoted.node == node.id && promoted.param == param &&
        value_of(*scope.outer, *scope.instance, promoted.id) == given->second)
      return value_source(*scope.outer, *scope.instance, promoted.id);
  }
  return {scope.prefix + node.id, param};
}

std::pair<std::string, std::string> promoted_at(const Scope& scope, const Node& node, const std::string& param) {
  if (const auto source = value_source(scope, node, param); source.first != scope.prefix + node.id) return source;
  if (scope.outer) {
    for (const PromotedParam& promoted : definition(*scope.outer, *scope.instance)->params)
      if (promoted.node == node.id && promoted.param == param)
        return promoted_at(*scope.outer, *scope.instance, promoted.id);
  }
  return {scope.prefix + node.id, param};
}

Link flat_link(const Scope& scope, const Link& link) {
  const Node* to = scope.graph->find(link.to);
  const auto inside = to ? enter(scope, *to) : std::nullopt;
  if (inside && is_input(*inside, link.to_socket)) return link_to(scope, link, inside->prefix + link.to_socket, "x");
  return link_to(scope, link, scope.prefix + link.to, link.to_socket);
}

std::optional<Scope> enter(const Scope& scope, const Node& node) {
  const Group* group = definition(scope, node);
  if (!group) return std::nullopt;
  Scope inner;
  inner.document = scope.document;
  inner.graph = &group->graph;
  inner.outer = &scope;
  inner.instance = &node;
  inner.prefix = scope.prefix + node.id + "/";
  if (const std::string owner = owner_of(scope, node); !owner.empty()) inner.tied = owner + "/";
  inner.name = joined_name(scope, node);
  inner.frozen = scope.frozen || node.frozen;
  inner.bypassed = scope.bypassed || node.bypassed;
  inner.device = node.device.empty() ? scope.device : node.device;
  for (const PromotedParam& promoted : group->params) {
    if (const ParamValue* value = value_of(scope, node, promoted.id))
      inner.values[{promoted.node, promoted.param}] = value;
  }
  return inner;
}

Node given_node(const Scope& scope, const Node& node) {
  Node given = node;
  for (auto entry = scope.values.lower_bound({node.id, ""}); entry != scope.values.end(); ++entry) {
    const auto& [place, value] = *entry;
    if (place.first != node.id) break;
    given.params.insert_or_assign(std::string(place.second), in_its_kind(node, place.second, *value));
  }
  return given;
}

Node flat_node(const Scope& scope, const Node& node) {
  Node flat = given_node(scope, node);
  flat.id = scope.prefix + node.id;
  if (scope.outer && node.type == kInputType) flat.params["example"] = std::string("none");
  flat.name = scope.outer && node.type == kOutputType ? scope.name : joined_name(scope, node);
  flat.frozen |= scope.frozen;
  if (flat.device.empty()) flat.device = scope.device;
  const NodeType* type = Registry::instance().find(node.type);
  const bool has_weights = type && !type->decl.weights().empty();
  flat.tie = !node.tie.empty() || has_weights ? owner_of(scope, node) : "";
  return flat;
}

std::vector<Link> flat_links_into(const Scope& scope, const Node& node) {
  const std::string id = scope.prefix + node.id;
  std::vector<Link> links;
  if (scope.bypassed && node.type == kOutputType) {
    add_handed_through(scope, node, links);
  } else {
    for (const Link& link : scope.graph->links_into(node.id)) links.push_back(link_to(scope, link, id, link.to_socket));
  }
  if (scope.outer && node.type == kInputType) {
    for (const Link& link : scope.outer->graph->links_into(scope.instance->id, node.id))
      links.push_back(link_to(*scope.outer, link, id, "x"));
  }
  return links;
}

std::vector<std::pair<std::string, std::string>> flat_params(const Scope& scope, const Node& node,
                                                             const std::string& param) {
  const auto inside = enter(scope, node);
  if (!inside) return {{scope.prefix + node.id, param}};
  std::vector<std::pair<std::string, std::string>> all;
  for (const PromotedParam& promoted : definition(scope, node)->params) {
    const Node* target = promoted.id == param ? inside->graph->find(promoted.node) : nullptr;
    if (!target) continue;
    auto places = flat_params(*inside, *target, promoted.param);
    std::ranges::move(places, std::back_inserter(all));
  }
  return all;
}

bool is_kept(const Scope& scope, const Node& node) {
  return !scope.bypassed || node.type == kInputType || node.type == kOutputType;
}

void add_dangling_links(const Scope& scope, Graph& flat) {
  for (const std::string& id : scope.graph->wired_ids("")) {
    if (scope.graph->find(id) || scope.bypassed) continue;
    for (const Link& link : scope.graph->links_into(id))
      flat.add_link(link_to(scope, link, scope.prefix + id, link.to_socket));
  }
}

void expand(const Scope& scope, const Node& node, Graph& flat) {
  if (!is_kept(scope, node)) return;
  const auto inside = enter(scope, node);
  if (!inside) {
    flat.add_node(flat_node(scope, node));
    for (const Link& link : flat_links_into(scope, node)) flat.add_link(link);
    return;
  }
  for (const auto& [id, inner] : inside->graph->nodes()) expand(*inside, inner, flat);
  add_dangling_links(*inside, flat);
  // A wire into a socket that the group does not have dangles, as validation says.
  for (const Link& link : scope.graph->links_into(node.id)) {
    if (is_input(*inside, link.to_socket)) continue;
    flat.add_link(link_to(scope, link, scope.prefix + node.id, link.to_socket));
  }
}

}  // namespace hw
