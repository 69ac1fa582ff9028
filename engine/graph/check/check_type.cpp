#include "engine/graph/check/check_type.h"

#include "engine/core/codes.h"
#include "engine/graph/check/check_params.h"
#include "engine/graph/groups/replace.h"
#include "engine/node/nearest_types.h"

namespace hw {

namespace {

struct Tool {
  std::string_view prefix, name;
};
constexpr Tool kTools[]{{"onnx:", "ONNX"}, {"torch:", "PyTorch"}};

/// Null: the node stands for no tool's operator.
const Tool* tool_of(const Node& node) {
  for (const Tool& tool : kTools)
    if (node.type.starts_with(tool.prefix)) return &tool;
  return nullptr;
}

}  // namespace

std::optional<std::string> foreign_operator(const Node& node) {
  const Tool* tool = tool_of(node);
  if (!tool) return std::nullopt;
  return node.type.substr(tool->prefix.size());
}

namespace {

/// Null: none is written down.
const std::string* reason_of(const Node& node) {
  const auto why = foreign_operator(node) ? node.params.find(kForeignReason) : node.params.end();
  return why == node.params.end() ? nullptr : std::get_if<std::string>(&why->second);
}

}  // namespace

bool waits_for_another(const Node& node) {
  const std::string* why = reason_of(node);
  return why && why->starts_with(kWaits);
}

std::string foreign_text(const Node& node) {
  const std::string* why = reason_of(node);
  const Tool* tool = tool_of(node);
  return "stands for the " + std::string(tool ? tool->name : "") + " operator " + foreign_operator(node).value_or("") +
         (why ? ", which is not read: " + *why : ", which Halfwire does not have.");
}

Diagnostic unknown_type(const Graph& graph, const Node& node) {
  constexpr size_t most = 3;
  Diagnostic d;
  d.code = codes::unknown_node;
  d.node = node.id;
  if (const auto group = group_of(node)) {
    d.reason = "The file has no group \"" + std::string(*group) + "\". The node is kept as it is.";
  } else if (const auto op = foreign_operator(node)) {
    d.reason =
        "It " + foreign_text(node) + " Put nodes in its place that compute the same, or use what lies before it.";
    return d;
  } else {
    d.reason = "This version has no node type \"" + node.type + "\". The node is kept as it is in the file.";
    const bool in_group = node.id.find('/') != node.id.npos;  // a node is added by the id that it has in its group
    std::vector<std::string> names;
    for (const NodeType* near : nearest_types(node.type, most)) {
      names.push_back(near->decl.title());
      if (in_group) continue;
      auto replacement = replace_nodes(document_scope(graph), {node.id}, near->id, near->decl);
      if (replacement) d.remedies.push_back({"Replace it with " + near->decl.title(), std::move(replacement->edits)});
    }
    d.reason += nearest_text(names);
  }
  d.remedies.push_back({"Remove the node", {RemoveNode{node.id}}});
  return d;
}

}  // namespace hw
