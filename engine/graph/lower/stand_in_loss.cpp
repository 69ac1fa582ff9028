#include "engine/graph/lower/stand_in_loss.h"

#include <algorithm>

#include "engine/core/codes.h"
#include "engine/graph/edit.h"
#include "engine/graph/groups/scope.h"

namespace hw {
std::vector<SocketRef> float_results(const Graph& flat) {
  Validator validator;
  validator.reset(flat);
  const auto is_float = [&](const std::string& node, const std::string& socket) {
    const auto type = validator.output_type(node, socket);
    return type && type->kind == Kind::tensor && info(type->dtype).is_float;
  };
  std::vector<SocketRef> taken, ends;
  for (const auto& [id, node] : flat.nodes()) {
    if (node.type == kOutputType) {
      if (id.find('/') != id.npos) continue;  // a group's own
      for (const Link& link : flat.links_into(id))
        if (is_float(link.from, link.from_socket)) taken.push_back({link.from, link.from_socket});
      continue;
    }
    const NodeType* type = Registry::instance().find(node.type);
    if (!type || node.bypassed || !flat.links_from(id).empty()) continue;
    const Declaration declared = type->declared(node.params);
    for (const SocketDecl& output : declared->outputs())
      if (is_float(id, output.id)) ends.push_back({id, output.id});
  }
  return taken.empty() ? ends : taken;
}

std::optional<Graph> with_stand_in_loss(const Graph& flat) {
  Graph graph = flat;
  std::string total;  // the node whose "y" is the sum so far
  const auto add = [&](const std::string& type, ParamMap params, std::initializer_list<Link> wires) {
    Node node;
    node.id = graph.fresh_id("stand_in_" + type);
    node.type = type;
    node.params = std::move(params);
    const std::string id = node.id;
    Edits edits{AddNode{std::move(node)}};
    for (Link link : wires) {
      link.to = id;
      edits.push_back(AddLink{std::move(link)});
    }
    return apply_edits(graph, edits) ? id : std::string();
  };
  for (const auto& [source, socket] : float_results(flat)) {
    const std::string narrow = add("cast", {{"to", std::string("f32")}}, {{source, socket, "", "x"}});
    const std::string square = add("mul", {}, {{narrow, "y", "", "a"}, {narrow, "y", "", "b"}});
    const std::string mean = add("mean", {}, {{square, "y", "", "x"}});
    total = total.empty() ? mean : add("add", {}, {{total, "y", "", "a"}, {mean, "y", "", "b"}});
  }
  if (total.empty()) return std::nullopt;
  const ParamMap plain{
      {"optimiser", std::string("sgd")}, {"schedule", std::string("constant")}, {"learning_rate", 1e-6}};
  if (add("train", plain, {{total, "y", "", "loss"}}).empty()) return std::nullopt;
  return graph;
}

bool has_trainer(const Graph& flat) {
  return std::ranges::any_of(flat.nodes(), [](const auto& entry) {
    const NodeType* type = Registry::instance().find(entry.second.type);
    return type && type->decl.role() == Role::train && !entry.second.bypassed;
  });
}

Result<CheckableGraph> checkable(const Graph& flat) {
  if (has_trainer(flat)) return CheckableGraph{flat, false};
  auto graph = with_stand_in_loss(flat);
  if (graph) return CheckableGraph{*std::move(graph), true};
  return Error{codes::no_trainer, "",
               "the graph has no Train node, and no float comes out of it that could stand in for a loss.",
               "Add a Train node and wire a loss into it."};
}

}  // namespace hw
