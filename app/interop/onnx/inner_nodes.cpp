#include "app/interop/onnx/inner_nodes.h"

namespace hw::interop {
namespace {

using GraphAttribute = std::shared_ptr<const OnnxGraph>;

template <class T>
std::map<std::string, T> renamed(const std::map<std::string, T>& values, const NameOf& name) {
  std::map<std::string, T> all;
  for (const auto& [value, what] : values) all.emplace(name(value), what);
  return all;
}

/// Calls `change` with each graph that the operator has.
void change_graphs(OnnxNode& n, const std::function<void(OnnxGraph&)>& change) {
  for (auto& [attribute, value] : n.attributes)
    if (const auto* graph = std::get_if<GraphAttribute>(&value)) {
      const auto changed = std::make_shared<OnnxGraph>(**graph);
      change(*changed);
      value = GraphAttribute(changed);
    }
}

void rename(OnnxGraph& graph, const NameOf& name) {
  for (OnnxNode& n : graph.nodes) n = with_values_renamed(std::move(n), name);
  for (std::vector<OnnxValue>* values : {&graph.inputs, &graph.outputs})
    for (OnnxValue& value : *values) value.name = name(value.name);
  graph.initializers = renamed(graph.initializers, name);
  graph.held_wider = renamed(graph.held_wider, name);
  graph.unread = renamed(graph.unread, name);
}

}  // namespace

OnnxNode with_values_renamed(OnnxNode n, const NameOf& name) {
  for (std::vector<std::string>* values : {&n.inputs, &n.outputs})
    for (std::string& value : *values)
      if (!value.empty()) value = name(value);
  change_graphs(n, [&](OnnxGraph& graph) { rename(graph, name); });
  return n;
}

OnnxNode with_attributes_of_call(OnnxNode n, const std::map<std::string, OnnxAttribute>& of_call) {
  change_graphs(n, [&](OnnxGraph& graph) {
    for (OnnxNode& inner : graph.nodes) inner = with_attributes_of_call(std::move(inner), of_call);
  });
  // A graph that the call has is as it is: what its operators refer to is around the call.
  for (const auto& [attribute, name] : n.references)
    if (const auto given = of_call.find(name); given != of_call.end()) n.attributes[attribute] = given->second;
  return n;
}

InnerGraph::InnerGraph(const OnnxGraph& graph, const std::string& prefix, const std::string& of_initializers) {
  std::set<std::string> own, constant;
  for (const OnnxValue& input : graph.inputs) own.insert(input.name);
  for (const auto& [value, tensor] : graph.initializers) constant.insert(value);
  for (const auto& [value, why] : graph.unread) constant.insert(value);
  for (const OnnxNode& n : graph.nodes) own.insert(n.outputs.begin(), n.outputs.end());
  const NameOf name = [&](const std::string& value) {
    return constant.contains(value) ? of_initializers + value : own.contains(value) ? prefix + value : value;
  };
  OnnxGraph inner = graph;
  rename(inner, name);
  nodes = std::move(inner.nodes);
  for (const OnnxValue& input : inner.inputs) inputs.push_back(input.name);
  for (const OnnxValue& output : inner.outputs) outputs.push_back(output.name);
  initializers = std::move(inner.initializers);
  unread = std::move(inner.unread);
}

}  // namespace hw::interop
