// Graph: the document as data: nodes, links, frames, groups. No checking here; see validate.h.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/graph/id_map.h"
#include "engine/graph/policy.h"
#include "engine/node/node_type.h"

namespace hw {

/// How a parameter of a node is stored and loaded, where that is not simply in the dtype the node computes with.
struct WeightFormat {
  DType dtype = DType::f32;  // storage: a storable float
  bool cast = false;         // read through a cast to the node's dtype; without it the two must be equal
  bool convert = false;      // loaded values may have another dtype: they are rounded to this one, once
  bool operator==(const WeightFormat&) const = default;
};

/// In the ids of nodes and groups.
inline constexpr size_t kMostIdCharacters = 200;

/// A node on the canvas. `extra` keeps fields of the file this version does not know, as JSON text.
struct Node {
  std::string id;     // unique in its graph, [a-z0-9_]+: "hash_grid_1"; names parameters and random streams
  std::string type;   // NodeType id; an unknown type is kept and shown as a placeholder
  std::string label;  // empty: the type's title
  /// In the tool that it comes from, "layer1.0.conv1"; empty: none. Its weights in files are named by it. In a group it
  /// follows the names of the instances, after a dot; one of them without a name leaves the node without.
  std::string name;
  ParamMap params;  // only those that differ from the default
  /// By the parameter's name, or as declared ("layer_*"); the name counts more. Of a tied node: the owner's count.
  std::map<std::string, WeightFormat, std::less<>> weights;
  double x = 0, y = 0;  // canvas units, top left
  bool collapsed = false;
  bool bypassed = false;
  bool frozen = false;          // its parameters are not trained
  std::optional<bool> preview;  // whether its card shows its output; nothing: as its type says
  std::string tie;              // id of the node whose parameters it uses instead of its own; empty: none
  std::string device;  // that it runs on, by canonical id ("cpu", "cuda:0"), not always here; empty: the graph's
  std::string extra;
  bool operator==(const Node&) const = default;
};

/// An output wired to an input.
struct Link {
  std::string from, from_socket;
  std::string to, to_socket;
  auto operator<=>(const Link&) const = default;
};

/// A titled box behind nodes. What lies in it follows from where it lies: see frames.h.
struct Frame {
  std::string id, title;
  double x = 0, y = 0, width = 0, height = 0;  // canvas units
  std::string colour;               // one of kFrameColours; another name, or none, is the default and is kept
  std::optional<std::string> text;  // there: the frame is a note
  std::string extra;
  bool operator==(const Frame&) const = default;
};

struct Group;

/// A value type: copies are independent. Node order is by id, link order by (to, to_socket, from, from_socket): the
/// order of the file. Look-ups of nodes and of their links are O(1).
class Graph {
 public:
  const std::map<std::string, Node, std::less<>>& nodes() const { return nodes_.map(); }
  const std::map<std::string, Frame, std::less<>>& frames() const { return frames_; }
  const Node* find(std::string_view id) const;
  /// Definitions of groups by id, of the whole file: those of a group's own graph are empty.
  const std::map<std::string, std::shared_ptr<const Group>, std::less<>>& groups() const { return groups_; }
  /// Null when there is none.
  const Group* find_group(std::string_view id) const;
  /// Ids that begin with `prefix` and that wires lead to, of nodes or of none.
  std::vector<std::string> wired_ids(std::string_view prefix) const;
  /// All links, sorted.
  std::vector<Link> links() const;
  size_t link_count() const;
  /// Those of a node: until a link of it comes or goes.
  const std::vector<Link>& links_into(std::string_view node) const;
  const std::vector<Link>& links_from(std::string_view node) const;
  /// Links into an input: none or one in a healthy graph.
  std::vector<Link> links_into(std::string_view node, std::string_view socket) const;
  std::vector<Link> links_from(std::string_view node, std::string_view socket) const;
  bool has_link(const Link& link) const;
  /// A free id made from a type: "mlp", "mlp_2", …
  std::string fresh_id(std::string_view type) const;
  /// The same for a frame: "frame", "frame_2", …
  std::string fresh_frame_id(std::string_view stem) const;

  // Raw changes, for edits.h and the file reader. Asserts on duplicates and unknown ids; links may be dangling.
  void add_node(Node node);
  void remove_node(std::string_view id);  // its links stay; remove them first
  Node& node(std::string_view id);
  void add_link(const Link& link);
  void remove_link(const Link& link);
  void set_frame(Frame frame);
  void remove_frame(std::string_view id);
  void set_group(Group group);
  void remove_group(std::string_view id);

  Precision precision;
  /// Where files of weights name a parameter otherwise than the graph does: from the parameter's name in the flattened
  /// graph ("block/conv.weight") to the tensor's. Of the document alone; what names no parameter has no effect.
  std::map<std::string, std::string> weight_names;

  /// Fields of the file's top level this version does not know, as JSON text.
  std::string extra;

  bool operator==(const Graph& other) const;

 private:
  IdMap<Node> nodes_;
  std::map<std::string, Frame, std::less<>> frames_;
  std::map<std::string, std::shared_ptr<const Group>, std::less<>> groups_;
  IdMap<std::vector<Link>> in_, out_;  // by node; sorted
};

/// A parameter of a node in a group that each instance may set, under an id of its own. Several with one id are one
/// parameter of the group, which sets all of these; the first of them says what it is.
struct PromotedParam {
  std::string id, label;    // [a-z0-9_]+; empty label: the parameter's own
  std::string node, param;  // in the group's graph; of an instance of another group: what that group promotes
  std::string extra = {};   // fields of the file that this version does not know, as JSON text
  bool operator==(const PromotedParam&) const = default;
};

/// The definition of a group. Its inputs and outputs are the nodes `input` and `output` of its graph: the id of such a
/// node is the id of the socket of each instance. An instance is a node whose type is "group:" and the group's id; its
/// `params` are values of promoted parameters. What runs is the graph without groups: see flatten.h.
struct Group {
  std::string id;     // [a-z0-9_]+
  std::string title;  // empty: the id
  Graph graph;
  std::vector<PromotedParam> params;
  std::string extra;             // fields of the file that this version does not know, as JSON text
  std::string description = {};  // a sentence, then more; Markdown
  std::string category = {};     // in the palette; empty: "Group"
  std::string keywords = {};     // further words that find it, separated by spaces
  bool operator==(const Group&) const = default;
};

/// The id of the group that a node is an instance of; nothing: it is an ordinary node.
std::optional<std::string_view> group_of(const Node& node);

/// Ids of the nodes that use the parameters of `owner`.
std::vector<std::string> tied_to(const Graph& graph, std::string_view owner);
/// Whether a card of the node shows its output: as the node says, else where it is a view of a wire, gives a picture,
/// or makes tensors of pictures, meshes or data sets.
bool shows_preview(const Node& node);
/// Titles and parameters through the type: label or title (of an instance: its group's id); value or default. The type
/// must be known for `param_value`.
std::string display_name(const Node& node);
/// The same in its document, where an instance has its group's title.
std::string display_name(const Graph& document, const Node& node);
/// Whether the node has this weight with its parameters as they are.
bool has_weight(const Node& node, const WeightDecl& weight);
/// The format of a parameter, or null where it is stored in what the node computes with.
const WeightFormat* weight_format(const Node& node, std::string_view weight);
ParamValue param_value(const Node& node, std::string_view param);
/// The graph with every node on the graph's device: for checks that compare one device with another.
Graph without_pins(Graph graph);

}  // namespace hw
