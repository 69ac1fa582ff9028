// Scope: the nodes of one graph, a document or a group, at one place of the flattened graph.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/graph/graph.h"

namespace hw {

/// Node types that are the sockets of a group: their ids are those of the sockets.
inline constexpr char kInputType[] = "input", kOutputType[] = "output";
/// A node that hands its wire on, of whatever kind: a corner of it on the canvas.
inline constexpr char kRerouteType[] = "reroute";

/// Views of the document, which must outlive it; of an inner scope `outer` too.
struct Scope {
  const Graph* document = nullptr;  // has the definitions of groups
  const Graph* graph = nullptr;
  const Scope* outer = nullptr;    // null: this is the document
  const Node* instance = nullptr;  // in `outer`
  std::string prefix = {};         // "stem/block_2/"
  std::string name = {};           // of the instances, joined; see Node::name
  std::string tied = {};           // prefix of the instance whose parameters are used; empty: none
  bool frozen = false, bypassed = false;
  std::string device = {};
  /// Values that instances give to promoted parameters, by node and parameter.
  std::map<std::pair<std::string_view, std::string_view>, const ParamValue*> values = {};
};

Scope document_scope(const Graph& document);
/// The group that a node is an instance of; null: it is none, or the group has no definition.
const Group* definition(const Scope& scope, const Node& node);
/// The group that the graph at the scope is; null: it is the document.
const Group* definition_at(const Scope& scope);

/// The paths of all instances of a group.
std::set<std::string> instances_of(const Graph& document, std::string_view group);

/// The node at a path of the document, "stem/block_2/conv_1".
struct NodePlace {
  NodePlace(const Graph& document, std::string_view path);
  const Scope& scope() const { return scopes.back(); }

  std::deque<Scope> scopes;    // the document's first, the node's last
  const Node* node = nullptr;  // null: there is none
};

/// The instance, and the parameter of it, that gives a flattened node's parameter its value; where none does, the node.
std::pair<std::string, std::string> value_source(const Scope& scope, const Node& node, const std::string& param);
/// The outermost instance, and the parameter of it, that can give a flattened node's parameter a value; where nobody
/// promotes it, the node.
std::pair<std::string, std::string> promoted_at(const Scope& scope, const Node& node, const std::string& param);
/// A wire of the scope, in the flattened graph: from an output of a group, to an input of one.
Link flat_link(const Scope& scope, const Link& link);
/// The inside of an instance. Nothing: the node is none, or its group has no definition.
std::optional<Scope> enter(const Scope& scope, const Node& node);
/// The node with the values that instances around it give.
Node given_node(const Scope& scope, const Node& node);
/// A node as it runs: id by path, values from instances, what instances say of devices and training. An input of a
/// group has no example data: its instance's socket must be wired.
Node flat_node(const Scope& scope, const Node& node);
/// The wires into it, through the sockets of groups.
std::vector<Link> flat_links_into(const Scope& scope, const Node& node);
/// The nodes and parameters that a parameter of `node` stands for: where it is an instance, of what the group promotes,
/// in the order of the definition. Empty: the group promotes no such parameter.
std::vector<std::pair<std::string, std::string>> flat_params(const Scope& scope, const Node& node,
                                                             const std::string& param);
/// Whether the node is there in the flattened graph: of a bypassed instance its inputs and outputs alone.
bool is_kept(const Scope& scope, const Node& node);
/// Adds the node, or all nodes of the instance, with the wires into them.
void expand(const Scope& scope, const Node& node, Graph& flat);
/// Adds the dangling links of the scope, to ids that no node has; validation reports them.
void add_dangling_links(const Scope& scope, Graph& flat);

}  // namespace hw
