#include "engine/graph/groups/replace.h"

#include <algorithm>

#include "engine/core/codes.h"
#include "engine/graph/groups/group_edits.h"
#include "engine/graph/groups/group_interface.h"

namespace hw {
namespace {

using Places = std::map<std::string, std::string>;

/// "X 2" and "x_2" are one name.
std::string bare(const std::string& text) {
  std::string letters;
  for (const char c : text) {
    if (c >= 'A' && c <= 'Z')
      letters += static_cast<char>(c - 'A' + 'a');
    else if (c != ' ' && c != '_')
      letters += c;
  }
  return letters;
}

bool go_together(const SocketDecl& a, const SocketDecl& b) {
  return a.any_kind || b.any_kind || a.kind == b.kind;
}

/// The sockets of a node of a type that is not known are those that have wires.
std::vector<SocketDecl> wired_sockets(const std::set<std::string>& wired) {
  std::vector<SocketDecl> sockets;
  for (const std::string& id : wired) {
    SocketDecl& socket = sockets.emplace_back();
    socket.id = socket.label = id;
    socket.any_kind = true;
  }
  return sockets;
}

std::set<std::string> ends_of(const std::vector<Link>& links, std::string Link::*socket) {
  std::set<std::string> all;
  for (const Link& link : links) all.insert(link.*socket);
  return all;
}

Node replacing(const Node& old, const std::string& type, const NodeDecl& declared) {
  Node node = old;
  node.type = type;
  node.name.clear();
  node.weights.clear();
  node.tie.clear();
  node.extra.clear();
  node.params.clear();
  for (const auto& [id, value] : old.params) {
    const ParamDecl* param = declared.find_param(id);
    auto taken = param ? check_param(*param, value) : Result<ParamValue>(Error{});
    if (taken && !(*taken == param->value)) node.params[id] = *std::move(taken);
  }
  return node;
}

}  // namespace

Places socket_places(const std::vector<SocketDecl>& from, const std::vector<SocketDecl>& to,
                     const std::set<std::string>& wired) {
  Places places;
  std::set<std::string> taken;
  const auto give = [&](bool (*fits)(const SocketDecl&, const SocketDecl&)) {
    for (const SocketDecl& socket : from) {
      if (!wired.contains(socket.id) || places.contains(socket.id)) continue;
      const auto place = std::ranges::find_if(
          to, [&](const SocketDecl& other) { return !taken.contains(other.id) && fits(socket, other); });
      if (place == to.end()) continue;
      places[socket.id] = place->id;
      taken.insert(place->id);
    }
  };
  give([](const SocketDecl& a, const SocketDecl& b) { return a.id == b.id && go_together(a, b); });
  give([](const SocketDecl& a, const SocketDecl& b) { return bare(a.label) == bare(b.label) && go_together(a, b); });
  give(go_together);
  return places;
}

Result<Replacement> replace_nodes(const Scope& scope, const std::set<std::string>& nodes, const std::string& type,
                                  const NodeDecl& declared) {
  const Graph& graph = *scope.graph;
  std::set<std::string> old;
  for (const std::string& id : nodes)
    if (const Node* node = graph.find(id); node && node->type != type) old.insert(id);
  if (old.empty()) return Error{codes::bad_group, "", "there is nothing to replace.", "Select nodes of another type."};
  HW_CHECK(refuse_promoted(scope, old));

  struct Ends {
    std::string id;
    Places inputs, outputs;
  };
  std::map<std::string, Ends> places;
  Replacement made;
  std::set<std::string> taken;
  std::set<Link> links;
  Edits adds;
  for (const std::string& id : old) {
    const Node& node = *graph.find(id);
    const auto before = declaration_of(*scope.document, node);
    const std::vector<Link>&into = graph.links_into(id), &from = graph.links_from(id);
    const auto inputs = ends_of(into, &Link::to_socket), outputs = ends_of(from, &Link::from_socket);
    Node added = replacing(node, type, declared);
    const auto group = group_of(added);
    if (before && (!group || !group_of(node))) {
      const std::string stem = group ? std::string(*group) : type;
      added.id = stem;
      for (int n = 2; graph.find(added.id) || taken.contains(added.id); ++n) added.id = stem + "_" + std::to_string(n);
    }
    taken.insert(added.id);
    places[id] = {added.id,
                  socket_places(before ? (*before)->inputs() : wired_sockets(inputs), declared.inputs(), inputs),
                  socket_places(before ? (*before)->outputs() : wired_sockets(outputs), declared.outputs(), outputs)};
    links.insert(into.begin(), into.end());
    links.insert(from.begin(), from.end());
    made.nodes.push_back(added.id);
    made.edits.push_back(RemoveNode{id});
    adds.push_back(AddNode{std::move(added)});
  }
  made.edits.insert(made.edits.end(), adds.begin(), adds.end());
  for (const Link& link : links) {
    Link now = link;
    const auto from = places.find(link.from), to = places.find(link.to);
    const auto move = [](std::string& node, std::string& socket, const Ends& ends, const Places& sockets) {
      const auto place = sockets.find(socket);
      if (place == sockets.end()) return false;
      node = ends.id;
      socket = place->second;
      return true;
    };
    const bool kept = (from == places.end() || move(now.from, now.from_socket, from->second, from->second.outputs)) &&
                      (to == places.end() || move(now.to, now.to_socket, to->second, to->second.inputs));
    if (kept && graph.find(link.from) && graph.find(link.to))
      made.edits.push_back(AddLink{now});
    else
      made.lost.push_back(link);
  }
  return made;
}

}  // namespace hw
