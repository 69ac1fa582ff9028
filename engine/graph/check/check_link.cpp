// What-if check of a wire that is not there yet: for dragging.
#include <algorithm>
#include <deque>

#include "engine/graph/check/check_node.h"
#include "engine/graph/check/validate.h"

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

/// By what the two sockets declare, before anything is known of what comes in.
std::optional<Diagnostic> check_kinds(const Node& from, const Node& to, const Link& link) {
  const NodeType *source = Registry::instance().find(from.type), *target = Registry::instance().find(to.type);
  if (!source || !target) return std::nullopt;
  const Declaration gives = source->declared(from.params), takes = target->declared(to.params);
  const SocketDecl *output = gives->find_output(link.from_socket), *input = takes->find_input(link.to_socket);
  if (!output || !input || output->any_kind || input->any_kind || output->kind == input->kind) return std::nullopt;
  Diagnostic d;
  d.code = codes::kind_mismatch;
  d.node = to.id;
  d.socket = input->id;
  d.link = link;
  d.expected = name(input->kind);
  d.got = name(output->kind);
  d.reason = input->label + " of " + display_name(to) + " takes: " + d.expected + ". The wire carries: " + d.got + ".";
  return d;
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
  if (!validator.output_type(link.from, link.from_socket))
    if (auto wrong = check_kinds(*graph.find(link.from), *to, link)) return wrong;
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

}  // namespace hw
