#include "engine/graph/check/candidate.h"

#include <algorithm>
#include <deque>

#include "engine/graph/check/check_node.h"
#include "engine/graph/check/pass_through.h"
#include "engine/graph/groups/copy_groups.h"
#include "engine/graph/groups/flatten.h"
#include "engine/graph/groups/scope.h"
#include "engine/graph/insert_cast.h"

namespace hw {
namespace {

/// The nodes that use what `node` hands on, and by which sockets.
std::vector<std::pair<Node, std::string>> readers_of(const Graph& flat, const std::string& node) {
  std::vector<std::pair<Node, std::string>> readers;
  std::deque<std::string> open{node};
  while (!open.empty()) {
    const std::string id = std::move(open.front());
    open.pop_front();
    for (const Link& link : flat.links_from(id)) {
      const Node* to = flat.find(link.to);
      if (to && is_pass_through(*to))
        open.push_back(to->id);
      else if (to)
        readers.emplace_back(*to, link.to_socket);
    }
  }
  return readers;
}

/// The dtypes of what `node` hands on, as far as the declaration of where it comes from settles it.
std::optional<std::vector<DType>> dtypes_of(const Graph& flat, std::string node) {
  for (size_t i = 0; i <= flat.nodes().size(); ++i) {
    const std::vector<Link>& before = flat.links_into(node);
    const Node* from = before.empty() ? nullptr : flat.find(before.front().from);
    if (!from) return std::nullopt;
    if (is_pass_through(*from)) {
      node = from->id;
      continue;
    }
    const NodeType* type = Registry::instance().find(from->type);
    if (!type) return std::nullopt;
    const Declaration declared = type->declared(from->params);
    const SocketDecl* output = declared->find_output(before.front().from_socket);
    return output ? accepted_dtypes(*type, *from, *output) : std::nullopt;
  }
  return std::nullopt;  // a cycle
}

/// Whether all that read it would take the wire.
bool takes(const Graph& graph, const Candidate::Input& input, std::string_view from, std::string_view from_socket,
           const std::optional<WireType>& carried) {
  return std::ranges::all_of(input.readers, [&](const auto& reader) {
    const auto& [node, socket] = reader;
    const Link link{std::string(from), std::string(from_socket), node.id, socket};
    const NodeCheck check = check_node(graph, node, {{socket, {{link, carried}}}});
    return std::ranges::none_of(
        check.diagnostics, [&](const Diagnostic& d) { return d.socket == socket && d.severity == Severity::error; });
  });
}

bool takes_kind(const Candidate::Input& input, const std::optional<WireType>& carried) {
  return !carried || input.any_kind || input.kind == carried->kind;
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

Candidate::Candidate(const NodeType& type) {
  Node node;
  node.id = "+";  // no node of a graph
  node.type = type.id;
  for (const SocketDecl& input : type.decl.inputs())
    inputs.push_back({input.id, input.kind, input.any_kind, {{node, input.id}}});
  for (const SocketDecl& output : type.decl.outputs())
    outputs.push_back({output.id, output.kind, output.any_kind, accepted_dtypes(type, node, output)});
}

Candidate::Candidate(const Graph& definitions, const Group& group) {
  Graph alone;
  Node instance;
  instance.id = "+";
  instance.type = "group:" + group.id;
  alone.add_node(instance);
  add_used_groups(definitions, alone);
  const Graph flat = flatten(alone);
  for (const auto& [id, node] : group.graph.nodes()) {
    if (node.type != kInputType && node.type != kOutputType) continue;
    const Declaration declared = Registry::instance().find(node.type)->declared(node.params);
    const Kind kind = declared->outputs().front().kind;
    if (node.type == kInputType)
      inputs.push_back({id, kind, false, readers_of(flat, "+/" + id)});
    else
      outputs.push_back({id, kind, false, dtypes_of(flat, "+/" + id)});
  }
  const auto lies_above = [&](const auto& a, const auto& b) {
    return group.graph.find(a.id)->y < group.graph.find(b.id)->y;
  };
  std::ranges::stable_sort(inputs, lies_above);
  std::ranges::stable_sort(outputs, lies_above);
}

std::optional<std::string> fitting_socket(const Graph& graph, const Validator& validator, std::string_view node,
                                          std::string_view socket, bool socket_is_output, const Candidate& candidate) {
  if (socket_is_output) {
    const auto carried = validator.output_type(node, socket);
    for (const Candidate::Input& input : candidate.inputs)
      if (takes_kind(input, carried) && takes(graph, input, node, socket, carried)) return input.id;
    return std::nullopt;
  }
  const auto input = open_input(graph, node, socket);
  if (!input) return std::nullopt;
  for (const Candidate::Output& output : candidate.outputs) {
    if (output.any_kind || input->socket->any_kind) return output.id;
    if (output.kind != input->socket->kind) continue;
    if (!input->accepted || !output.dtypes) return output.id;
    for (const DType dtype : *output.dtypes)
      if (std::ranges::find(*input->accepted, dtype) != input->accepted->end()) return output.id;
  }
  return std::nullopt;
}

std::optional<FitByCast> fitting_by_cast(const Graph& graph, const Validator& validator, std::string_view node,
                                         std::string_view socket, bool socket_is_output, const Candidate& candidate) {
  if (socket_is_output) {
    auto carried = validator.output_type(node, socket);
    if (!carried || carried->kind != Kind::tensor) return std::nullopt;
    for (const Candidate::Input& input : candidate.inputs) {
      if (input.readers.empty() || !takes_kind(input, carried)) continue;
      const auto& [reader, at] = input.readers.front();  // what it takes is what may be taken
      const NodeType* type = Registry::instance().find(reader.type);
      const Declaration declared = type ? type->declared(reader.params) : Declaration();
      const SocketDecl* taken = declared->find_input(at);
      if (!taken) continue;
      for (const DType to : accepted_dtypes(*type, reader, *taken).value_or(std::vector<DType>{})) {
        carried->dtype = to;
        if (is_cast_target(to) && takes(graph, input, node, socket, carried)) return FitByCast{input.id, to};
      }
    }
    return std::nullopt;
  }
  const auto input = open_input(graph, node, socket);
  if (!input || input->socket->kind != Kind::tensor || !input->accepted) return std::nullopt;
  const auto to = std::ranges::find_if(*input->accepted, is_cast_target);
  if (to == input->accepted->end()) return std::nullopt;
  for (const Candidate::Output& output : candidate.outputs)
    if (output.kind == Kind::tensor) return FitByCast{output.id, *to};
  return std::nullopt;
}

}  // namespace hw
