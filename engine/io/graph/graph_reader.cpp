// Reading *.halfwire. What this version does not know is kept as JSON text in `extra`.
#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "engine/core/codes.h"
#include "engine/graph/check_groups.h"
#include "engine/graph/frames.h"
#include "engine/io/file/file_bytes.h"
#include "engine/io/file/json_text.h"
#include "engine/io/graph/graph_file.h"
#include "engine/program/device_id.h"

namespace hw {
namespace {

using nlohmann::json;

constexpr uint64_t kMaxBytes = 64u << 20;
constexpr size_t kMaxName = 200;  // characters of a type or a weight

bool is_id(std::string_view text) {
  return !text.empty() && text.size() <= kMostIdCharacters && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

/// "conv", or the path of a node in groups, "stem/conv", where the graph is a flattened one.
bool is_node_id(std::string_view text, NodeIds ids) {
  if (ids == NodeIds::plain) return is_id(text);
  for (size_t slash = text.find('/'); slash != text.npos; slash = text.find('/')) {
    if (!is_id(text.substr(0, slash))) return false;
    text.remove_prefix(slash + 1);
  }
  return is_id(text);
}

const std::string kIdRule =
    "an id has only a–z, 0–9 and _, and 1 to " + std::to_string(kMostIdCharacters) + " of them.";

/// A place in the document, for errors: "nodes[3].params".
struct Place {
  const std::string& file;
  std::string path;

  Place at(size_t index) const { return {file, path + "[" + std::to_string(index) + "]"}; }
  Place at(const std::string& key) const { return {file, path.empty() ? key : path + "." + key}; }
  Error error(const std::string& reason) const {
    return {codes::file_syntax, path.empty() ? file : file + ": " + path, reason, "Mend it in a text editor."};
  }
  Error expected(const std::string& what, const json& got) const {
    return error("expected " + what + ", got " + std::string(json_kind(got)) + ".");
  }
};

/// Takes `key` out of `object` when it is there.
std::optional<json> take(json& object, const char* key) {
  const auto it = object.find(key);
  if (it == object.end()) return std::nullopt;
  json value = std::move(*it);
  object.erase(it);
  return value;
}

Result<std::string> take_text(json& object, const char* key, const Place& place, bool required) {
  const auto value = take(object, key);
  if (!value && required) return place.error("\"" + std::string(key) + "\" is missing.");
  if (!value) return std::string();
  if (!value->is_string()) return place.at(key).expected("text", *value);
  return value->get<std::string>();
}

Result<bool> take_switch(json& object, const char* key, const Place& place) {
  const auto value = take(object, key);
  if (!value) return false;
  if (!value->is_boolean()) return place.at(key).expected("true or false", *value);
  return value->get<bool>();
}

Status take_pair(json& object, const char* key, const Place& place, double& a, double& b) {
  const auto value = take(object, key);
  if (!value) return ok();
  if (!value->is_array() || value->size() != 2 || !(*value)[0].is_number() || !(*value)[1].is_number())
    return place.at(key).error("expected a list of two numbers.");
  a = (*value)[0].get<double>();
  b = (*value)[1].get<double>();
  return ok();
}

/// The list under `key`, empty when it is missing.
Result<json> take_list(json& object, const char* key, const Place& place) {
  auto value = take(object, key);
  if (!value) return json::array();
  if (!value->is_array()) return place.at(key).expected("a list", *value);
  return std::move(*value);
}

/// The value in the kind its declaration asks for: 1 is 1.0 for a real. Nothing: ParamValue cannot hold it.
/// Values of the wrong kind pass, and what cannot be held is kept; the validator reports both on the node. Of an
/// instance of a group (`of_group`) the kind is that of the parameter it promotes.
std::optional<ParamValue> to_param(const json& value, const ParamDecl* decl, bool of_group) {
  using Type = ParamDecl::Type;
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_unsigned() && value.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX)) return std::nullopt;
  if (value.is_number_integer()) {
    if (decl && decl->type == Type::real) return value.get<double>();
    return value.get<int64_t>();
  }
  if (value.is_number_float()) {
    const double v = value.get<double>();
    if (decl && decl->type == Type::integer && v == std::nearbyint(v) && std::abs(v) < 0x1p53)
      return static_cast<int64_t>(v);
    return v;
  }
  if (value.is_array()) {
    const bool any_number = of_group || (decl && decl->type == Type::vector);
    for (const json& item : value) {
      if (!(any_number ? item.is_number() : item.is_number_float())) return std::nullopt;
    }
    return value.get<std::vector<double>>();
  }
  return std::nullopt;
}

Status read_params(json params, const NodeType* type, const Place& place, Node& node, json& extra) {
  if (!params.is_object()) return place.expected("an object", params);
  for (auto it = params.begin(); it != params.end();) {
    const ParamDecl* decl = type ? type->decl.find_param(it.key()) : nullptr;
    if (auto value = to_param(*it, decl, group_of(node).has_value())) {
      node.params[it.key()] = std::move(*value);
      it = params.erase(it);
    } else {
      ++it;
    }
  }
  if (!params.empty()) extra["params"] = std::move(params);
  return ok();
}

/// `"weights": {"bias": {"dtype": "f8e4m3", "cast": true}}`.
Status read_weight_formats(json formats, const Place& place, Node& node, json& extra) {
  if (!formats.is_object()) return place.expected("an object", formats);
  for (auto& [weight, object] : formats.items()) {
    const Place at = place.at(weight);
    if (weight.empty() || weight.size() > kMaxName) return at.error("a weight is named.");
    if (!object.is_object()) return at.expected("an object", object);
    HW_TRY(const std::string dtype_name, take_text(object, "dtype", at, true));
    const auto dtype = dtype_from_name(dtype_name);
    if (!dtype || !info(*dtype).is_float || !info(*dtype).storable)
      return at.at("dtype").error("\"" + dtype_name.substr(0, 40) + "\" is no dtype that weights are stored in.");
    WeightFormat format{*dtype, false, false};
    HW_TRY(format.cast, take_switch(object, "cast", at));
    HW_TRY(format.convert, take_switch(object, "convert", at));
    node.weights.emplace(weight, format);
    if (!object.empty()) extra["weights"][weight] = object;
  }
  return ok();
}

Result<Node> read_node(json object, const Place& place, NodeIds ids) {
  if (!object.is_object()) return place.expected("an object", object);
  Node node;
  HW_TRY(node.id, take_text(object, "id", place, true));
  if (!is_node_id(node.id, ids)) return place.at("id").error(kIdRule);
  HW_TRY(node.type, take_text(object, "type", place, true));
  if (node.type.empty() || node.type.size() > kMaxName) return place.at("type").error("a type is named.");
  HW_TRY(node.label, take_text(object, "label", place, false));
  HW_TRY(node.name, take_text(object, "name", place, false));
  if (node.name.find('#') != node.name.npos)  // what follows it in a file of weights is the optimiser's
    return place.at("name").error("a name has no \"#\".");
  HW_TRY(node.collapsed, take_switch(object, "collapsed", place));
  HW_TRY(node.bypassed, take_switch(object, "bypassed", place));
  if (object.contains("preview")) {
    HW_TRY(node.preview, take_switch(object, "preview", place));
  }
  HW_TRY(node.frozen, take_switch(object, "frozen", place));
  HW_TRY(node.tie, take_text(object, "tie", place, false));
  if (!node.tie.empty() && !is_node_id(node.tie, ids)) return place.at("tie").error("expected the id of a node.");
  HW_TRY(node.device, take_text(object, "device", place, false));
  if (!is_device_id(node.device)) return place.at("device").error("expected the id of a device, like cpu or cuda:0.");
  node.device = canonical_device_id(node.device);
  HW_CHECK(take_pair(object, "at", place, node.x, node.y));
  if (std::max(std::abs(node.x), std::abs(node.y)) > kFarthest)
    return place.at("at").error("a node lies at most 10,000,000 canvas units from the origin.");
  if (auto params = take(object, "params")) {
    HW_CHECK(read_params(std::move(*params), Registry::instance().find(node.type), place.at("params"), node, object));
  }
  if (auto formats = take(object, "weights")) {
    HW_CHECK(read_weight_formats(std::move(*formats), place.at("weights"), node, object));
  }
  if (!object.empty()) append_json(node.extra, object);
  return node;
}

Result<Frame> read_frame(json object, const Place& place) {
  if (!object.is_object()) return place.expected("an object", object);
  Frame frame;
  HW_TRY(frame.id, take_text(object, "id", place, true));
  if (frame.id.empty()) return place.at("id").error("an id is not empty.");
  HW_TRY(frame.title, take_text(object, "title", place, false));
  for (const auto& [key, a, b] :
       {std::tuple("at", &frame.x, &frame.y), std::tuple("size", &frame.width, &frame.height)}) {
    HW_CHECK(take_pair(object, key, place, *a, *b));
    if (const Status fits = check_frame(frame); !fits) return place.at(key).error(fits.error().reason);
  }
  HW_TRY(frame.colour, take_text(object, "colour", place, false));
  if (auto text = take(object, "text")) {
    if (!text->is_string()) return place.at("text").expected("text", *text);
    frame.text = text->get<std::string>();
  }
  if (!object.empty()) append_json(frame.extra, object);
  return frame;
}

/// "node.socket".
Status read_end(const json& value, const Place& place, NodeIds ids, std::string& node, std::string& socket) {
  if (!value.is_string()) return place.expected("text, \"node.socket\"", value);
  const std::string text = value.get<std::string>();
  const size_t dot = text.find('.');
  if (dot == std::string::npos || dot + 1 == text.size() || !is_node_id(text.substr(0, dot), ids))
    return place.error("expected \"node.socket\", got \"" + text.substr(0, 80) + "\".");
  node = text.substr(0, dot);
  socket = text.substr(dot + 1);
  return ok();
}

Result<Link> read_link(const json& value, const Place& place, NodeIds ids) {
  if (!value.is_array() || value.size() != 2) return place.error("expected a link, [\"node.output\", \"node.input\"].");
  Link link;
  HW_CHECK(read_end(value[0], place.at(size_t{0}), ids, link.from, link.from_socket));
  HW_CHECK(read_end(value[1], place.at(size_t{1}), ids, link.to, link.to_socket));
  return link;
}

/// Nodes, links and frames: of a graph or of a group.
Status read_contents(json& root, const Place& place, NodeIds ids, Graph& graph) {
  HW_TRY(json nodes, take_list(root, "nodes", place));
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Place at = place.at("nodes").at(i);
    HW_TRY(Node node, read_node(std::move(nodes[i]), at, ids));
    if (graph.find(node.id)) return at.at("id").error("a second node has the id \"" + node.id + "\".");
    graph.add_node(std::move(node));
  }
  HW_TRY(json links, take_list(root, "links", place));
  std::set<Link> seen;
  for (size_t i = 0; i < links.size(); ++i) {
    const Place at = place.at("links").at(i);
    HW_TRY(Link link, read_link(links[i], at, ids));
    if (!seen.insert(link).second) return at.error("this link stands twice.");
    graph.add_link(link);
  }
  HW_TRY(json frames, take_list(root, "frames", place));
  for (size_t i = 0; i < frames.size(); ++i) {
    const Place at = place.at("frames").at(i);
    HW_TRY(Frame frame, read_frame(std::move(frames[i]), at));
    if (graph.frames().contains(frame.id)) return at.at("id").error("a second frame has this id.");
    graph.set_frame(std::move(frame));
  }
  return ok();
}

Result<PromotedParam> read_promoted(json object, const Place& place, const Graph& graph) {
  if (!object.is_object()) return place.expected("an object", object);
  PromotedParam promoted;
  HW_TRY(promoted.id, take_text(object, "id", place, true));
  if (!is_id(promoted.id)) return place.at("id").error(kIdRule);
  HW_TRY(promoted.label, take_text(object, "label", place, false));
  HW_TRY(promoted.node, take_text(object, "node", place, true));
  if (!graph.find(promoted.node)) return place.at("node").error("the group has no node \"" + promoted.node + "\".");
  HW_TRY(promoted.param, take_text(object, "param", place, true));
  if (!object.empty()) append_json(promoted.extra, object);
  return promoted;
}

Result<Group> read_group(const std::string& id, json object, const Place& place) {
  if (!is_id(id)) return place.error(kIdRule);
  if (!object.is_object()) return place.expected("an object", object);
  Group group;
  group.id = id;
  HW_TRY(group.title, take_text(object, "title", place, false));
  HW_TRY(group.description, take_text(object, "description", place, false));
  HW_TRY(group.category, take_text(object, "category", place, false));
  HW_TRY(group.keywords, take_text(object, "keywords", place, false));
  HW_CHECK(read_contents(object, place, NodeIds::plain, group.graph));
  HW_TRY(json params, take_list(object, "params", place));
  std::set<std::tuple<std::string, std::string, std::string>> seen;
  for (size_t i = 0; i < params.size(); ++i) {
    const Place at = place.at("params").at(i);
    HW_TRY(PromotedParam promoted, read_promoted(std::move(params[i]), at, group.graph));
    if (!seen.insert({promoted.id, promoted.node, promoted.param}).second)
      return at.error("this parameter stands twice.");
    group.params.push_back(std::move(promoted));
  }
  if (!object.empty()) append_json(group.extra, object);
  return group;
}

Status read_groups(json& root, const Place& place, Graph& graph) {
  auto groups = take(root, "subgraphs");
  if (!groups) return ok();
  if (!groups->is_object()) return place.at("subgraphs").expected("an object", *groups);
  for (auto& [id, object] : groups->items()) {
    HW_TRY(Group group, read_group(id, std::move(object), place.at("subgraphs").at(id)));
    graph.set_group(std::move(group));
  }
  if (const Status sound = check_groups(graph); !sound) {
    Error error = sound.error();
    error.where = place.file + ": " + error.where;
    return error;
  }
  return ok();
}

Status read_precision(json& root, const Place& place, Precision& precision) {
  HW_TRY(const std::string policy, take_text(root, "policy", place, false));
  HW_TRY(const std::string low, take_text(root, "autocast_dtype", place, false));
  if (!policy.empty()) {
    const auto known = policy_from_name(policy);
    if (!known) return place.at("policy").error("expected strict, negotiate or autocast.");
    precision.policy = *known;
  }
  if (low.empty()) return ok();
  precision.low = dtype_from_name(low).value_or(DType::f32);
  if (precision.low != DType::f16 && precision.low != DType::bf16)
    return place.at("autocast_dtype").error("expected f16 or bf16.");
  return ok();
}

Status read_weight_names(json& root, const Place& place, std::map<std::string, std::string>& names) {
  const auto read = take(root, "weight_names");
  if (!read) return ok();
  const Place at = place.at("weight_names");
  if (!read->is_object()) return at.expected("an object", *read);
  for (const auto& [parameter, tensor] : read->items()) {
    if (!tensor.is_string()) return at.at(parameter).expected("text", tensor);
    names[parameter] = tensor.get<std::string>();
  }
  return ok();
}

Status check_version(json& root, const Place& place) {
  if (!root.is_object()) return place.expected("an object", root);
  const auto version = take(root, "halfwire");
  if (!version) return place.error("this is not a Halfwire graph: \"halfwire\", its version, is missing.");
  if (!version->is_number_unsigned() || version->get<uint64_t>() < 1)
    return place.at("halfwire").error("expected a version: a whole number from 1.");
  if (version->get<uint64_t>() > kGraphFormatVersion) {
    return Error{codes::file_future, place.file,
                 "the file has format version " + std::to_string(version->get<uint64_t>()) +
                     "; this version of Halfwire reads up to " + std::to_string(kGraphFormatVersion) + ".",
                 "Open it with a newer Halfwire."};
  }
  return ok();
}

}  // namespace

Result<Graph> parse_graph(std::string_view text, const std::string& name, NodeIds ids) {
  const Place place{name, ""};
  if (text.size() > kMaxBytes) return place.error("a graph file has at most 64 MiB.");
  HW_TRY(json root, parse_json(text, name));
  HW_CHECK(check_version(root, place));
  Graph graph;
  HW_CHECK(read_contents(root, place, ids, graph));
  HW_CHECK(read_groups(root, place, graph));
  HW_CHECK(read_precision(root, place, graph.precision));
  HW_CHECK(read_weight_names(root, place, graph.weight_names));
  if (!root.empty()) append_json(graph.extra, root);
  return graph;
}

Result<Graph> read_graph(const std::filesystem::path& file) {
  HW_TRY(const std::string text, read_file_bytes(file, kMaxBytes));
  return parse_graph(text, file.string());
}

}  // namespace hw
