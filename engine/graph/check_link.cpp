// What-if checks of wires that are not there yet: for dragging and for the search of what fits.
#include <algorithm>
#include <deque>

#include "engine/graph/check_node.h"
#include "engine/graph/insert_cast.h"
#include "engine/graph/validate.h"

namespace hw {

namespace {

bool reaches(const Graph& graph, const std::string& from, const std::string& to) {
  std::unordered_set<std::string> seen{from};
  std::deque<std::string> queue{from};
  while (!queue.empty()) {
    const std::string id = std::move(queue.front());
    queue.pop_front();
    if (id == to) return true;
    for (const Link& link : graph.links_from(id)) {
      if (seen.insert(link.to).second) queue.push_back(link.to);
    }
  }
  return false;
}

std::optional<Diagnostic> at(const NodeCheck& check, std::string_view socket) {
  for (const Diagnostic& d : check.diagnostics) {
    if (d.socket == socket && d.severity == Severity::error) return d;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Diagnostic> check_link(const Graph& graph, const Validator& validator, const Link& link) {
  const Node* to = graph.find(link.to);
  if (!to || !graph.find(link.from)) {
    Diagnostic d;
    d.code = codes::unknown_node;
    d.reason = "There is no such node.";
    return d;
  }
  if (reaches(graph, link.to, link.from)) {
    Diagnostic d;
    d.code = codes::cycle;
    d.node = link.to;
    d.socket = link.to_socket;
    d.link = link;
    d.reason = display_name(*to) + " would depend on its own output.";
    return d;
  }
  InputWires wires;
  for (const Link& other : graph.links_into(link.to)) {
    if (other.to_socket != link.to_socket) {
      wires[other.to_socket].push_back({other, validator.output_type(other.from, other.from_socket)});
    }
  }
  wires[link.to_socket].push_back({link, validator.output_type(link.from, link.from_socket)});
  const NodeCheck check = check_node(graph, *to, wires);
  if (auto wrong = at(check, link.to_socket)) return wrong;
  const NodeType* type = Registry::instance().find(to->type);
  if (!type) return std::nullopt;
  const Declaration declared = type->declared(to->params);
  for (const SocketDecl& input : declared->inputs()) {  // those that must come before it
    if (input.upstream_of != link.to_socket) continue;
    if (auto wrong = at(check, input.id); wrong && wrong->code == codes::not_upstream) return wrong;
  }
  return std::nullopt;
}

namespace {

/// A node of this type with its defaults, as if it had just been added.
Node fresh_node(const Graph& graph, const NodeType& type) {
  Node fresh;
  fresh.id = graph.fresh_id(type.id);
  fresh.type = type.id;
  return fresh;
}

bool takes(const Graph& graph, const Node& fresh, const Link& link, const std::optional<WireType>& carried) {
  return !at(check_node(graph, fresh, {{link.to_socket, {{link, carried}}}}), link.to_socket);
}

/// An input of the graph, and what its node takes there.
struct OpenInput {
  Declaration declared;
  const SocketDecl* socket = nullptr;
  std::optional<std::vector<DType>> accepted;  // nothing: any
};
std::optional<OpenInput> open_input(const Graph& graph, std::string_view node, std::string_view socket) {
  const Node* target = graph.find(node);
  const NodeType* type = target ? Registry::instance().find(target->type) : nullptr;
  if (!type) return std::nullopt;
  OpenInput input{type->declared(target->params), nullptr, {}};
  input.socket = input.declared->find_input(socket);
  if (!input.socket) return std::nullopt;
  input.accepted = accepted_dtypes(*type, *target, *input.socket);
  return input;
}

}  // namespace

std::optional<std::string> fitting_socket(const Graph& graph, const Validator& validator, std::string_view node,
                                          std::string_view socket, bool socket_is_output, const NodeType& type) {
  const Node fresh = fresh_node(graph, type);
  if (socket_is_output) {
    const auto carried = validator.output_type(node, socket);
    for (const SocketDecl& input : type.decl.inputs()) {  // of a fresh node: the defaults
      if (takes(graph, fresh, {std::string(node), std::string(socket), fresh.id, input.id}, carried)) return input.id;
    }
    return std::nullopt;
  }
  const auto input = open_input(graph, node, socket);
  if (!input) return std::nullopt;
  for (const SocketDecl& output : type.decl.outputs()) {
    if (output.any_kind || input->socket->any_kind) return output.id;
    if (output.kind != input->socket->kind) continue;
    const auto offered = accepted_dtypes(type, fresh, output);
    if (!input->accepted || !offered) return output.id;
    for (const DType dtype : *offered) {
      if (std::find(input->accepted->begin(), input->accepted->end(), dtype) != input->accepted->end()) {
        return output.id;
      }
    }
  }
  return std::nullopt;
}

std::optional<FitByCast> fitting_by_cast(const Graph& graph, const Validator& validator, std::string_view node,
                                         std::string_view socket, bool socket_is_output, const NodeType& type) {
  const Node fresh = fresh_node(graph, type);
  if (socket_is_output) {
    auto carried = validator.output_type(node, socket);
    if (!carried || carried->kind != Kind::tensor) return std::nullopt;
    for (const SocketDecl& input : type.decl.inputs()) {
      for (const DType to : accepted_dtypes(type, fresh, input).value_or(std::vector<DType>{})) {
        carried->dtype = to;
        const Link link{std::string(node), std::string(socket), fresh.id, input.id};
        if (is_cast_target(to) && takes(graph, fresh, link, carried)) return FitByCast{input.id, to};
      }
    }
    return std::nullopt;
  }
  const auto input = open_input(graph, node, socket);
  if (!input || input->socket->kind != Kind::tensor || !input->accepted) return std::nullopt;
  const auto to = std::find_if(input->accepted->begin(), input->accepted->end(), is_cast_target);
  if (to == input->accepted->end()) return std::nullopt;
  for (const SocketDecl& output : type.decl.outputs()) {
    if (output.kind == Kind::tensor) return FitByCast{output.id, *to};
  }
  return std::nullopt;
}

}  // namespace hw
