#include "tests/fuzz/random_group.h"

#include <set>

#include "engine/graph/groups/scope.h"

namespace hw::fuzz {
namespace {

Node made(const std::string& id, const std::string& type) {
  Node node;
  node.id = id;
  node.type = type;
  return node;
}

/// An Input or Output for what a wire carries.
Node socket_node(const Graph& graph, const Link& link, const std::string& id, const char* type) {
  Node node = made(id, type);
  const Node* from = graph.find(link.from);
  if (const Group* group = from && group_of(*from) ? graph.find_group(*group_of(*from)) : nullptr) {
    node.params = group->graph.find(link.from_socket)->params;
    return node;
  }
  const NodeType* of = from ? Registry::instance().find(from->type) : nullptr;
  const Declaration declared = of ? of->declared(from->params) : Declaration();
  const SocketDecl* output = declared->find_output(link.from_socket);
  if (output && output->kind != Kind::tensor)
    node.params["kind"] = std::string(output->kind == Kind::dataset ? "dataset" : name(output->kind));
  return node;
}

/// Nodes by chance; none that shares parameters or trains.
std::set<std::string> chosen(const Graph& graph, Dice& dice) {
  std::set<std::string> ids;
  for (const auto& [id, node] : graph.nodes()) {
    const NodeType* type = Registry::instance().find(node.type);
    const bool trains = type && type->decl.role() == Role::train;
    if (!trains && node.tie.empty() && tied_to(graph, id).empty() && dice.chance(0.4)) ids.insert(id);
  }
  return ids;
}

}  // namespace

void put_into_group(Graph& graph, Dice& dice) {
  const std::set<std::string> ids = chosen(graph, dice);
  if (ids.empty()) return;
  Group group;
  group.id = "group_" + std::to_string(graph.groups().size());
  const Node instance = made(graph.fresh_id(group.id), "group:" + group.id);
  for (const std::string& id : ids) group.graph.add_node(*graph.find(id));
  std::map<std::pair<std::string, std::string>, std::string> outputs;
  std::vector<Link> crossing;  // in the graph
  for (const Link& link : graph.links()) {
    const bool from = ids.contains(link.from), to = ids.contains(link.to);
    if (!from && !to) continue;
    graph.remove_link(link);
    if (from && to) {
      group.graph.add_link(link);
    } else if (to) {
      const std::string input = group.graph.fresh_id(kInputType);
      group.graph.add_node(socket_node(graph, link, input, kInputType));
      group.graph.add_link({input, "y", link.to, link.to_socket});
      crossing.push_back({link.from, link.from_socket, instance.id, input});
    } else {
      std::string& output = outputs[{link.from, link.from_socket}];
      if (output.empty()) {
        output = group.graph.fresh_id(kOutputType);
        group.graph.add_node(socket_node(graph, link, output, kOutputType));
        group.graph.add_link({link.from, link.from_socket, output, "x"});
      }
      crossing.push_back({instance.id, output, link.to, link.to_socket});
    }
  }
  for (const std::string& id : ids) graph.remove_node(id);
  graph.set_group(std::move(group));
  graph.add_node(instance);
  for (const Link& link : crossing) graph.add_link(link);
}

}  // namespace hw::fuzz
