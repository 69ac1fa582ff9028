#include "app/interop/onnx/scopes.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "app/interop/onnx/newer_fields.h"
#include "engine/core/utf8.h"

namespace hw::interop {
namespace {

constexpr size_t kMostScopes = 32;

constexpr const char* kNameScopes = "pkg.torch.onnx.name_scopes";
constexpr int kOfNode = 9, kOfGraph = 16;  // the numbers of metadata_props

std::map<std::string, std::string> metadata_of(const google::protobuf::Message& message, int number) {
  std::map<std::string, std::string> metadata;
  for (const std::string& bytes : newer_field(message, number)) {
    onnx::StringStringEntryProto entry;
    if (entry.ParseFromString(bytes)) metadata[entry.key()] = as_utf8(entry.value());
  }
  return metadata;
}

/// The strings in a list as Python prints it: "['', 'layer1']".
std::vector<std::string> python_list(const std::string& text) {
  std::vector<std::string> items;
  for (size_t at = text.find_first_of("'\""); at != text.npos; at = text.find_first_of("'\"", at)) {
    const size_t end = text.find(text[at], at + 1);
    if (end == text.npos) break;
    items.push_back(text.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return items;
}

/// Whether it has scopes written down, be they those of the model itself.
bool says_scopes(const onnx::NodeProto& node) {
  return node.name().find('/') != std::string::npos || metadata_of(node, kOfNode).contains(kNameScopes);
}

/// "BasicBlock" of "torchvision.models.resnet.BasicBlock".
std::string class_of(const std::string& path) {
  return path.substr(path.rfind('.') + 1);
}

/// A part of a name of scopes within the path before it. Names that PyTorch writes repeat the end of that path, or all
/// of it, where a module is called by its index: "/model/layer1/layer1.0".
std::string joined(const std::string& path, const std::string& part) {
  if (path.empty()) return part;
  for (size_t begin = 0; begin < path.size(); begin = std::min(path.find('.', begin), path.size() - 1) + 1)
    if (part.starts_with(path.substr(begin) + ".")) return path.substr(0, begin) + part;
  return path + "." + part;
}

}  // namespace

std::optional<std::set<std::string>> parameters_of(const onnx::GraphProto& graph) {
  const auto metadata = metadata_of(graph, kOfGraph);
  const auto signature = metadata.find("pkg.torch.export.ExportedProgram.graph_signature");
  if (signature == metadata.end()) return std::nullopt;
  // Lines as "p_fc_weight: PARAMETER target='fc.weight'".
  constexpr std::string_view kMark = ": PARAMETER target='";
  std::set<std::string> names;
  const std::string& text = signature->second;
  for (size_t at = text.find(kMark); at != text.npos; at = text.find(kMark, at + 1)) {
    const size_t begin = at + kMark.size(), end = text.find('\'', begin);
    if (end != text.npos) names.insert(text.substr(begin, end - begin));
  }
  return names.empty() ? std::nullopt : std::optional(names);
}

void lend_scopes(const onnx::GraphProto& written, OnnxGraph& graph) {
  std::vector<bool> known;
  for (const onnx::NodeProto& n : written.node()) known.push_back(says_scopes(n));
  if (std::ranges::count(known, true) == 0) return;
  std::unordered_map<std::string, size_t> makers;
  std::unordered_map<std::string, std::vector<size_t>> readers;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const std::string& output : graph.nodes[i].outputs)
      if (!output.empty()) makers.try_emplace(output, i);
    for (const std::string& input : graph.nodes[i].inputs)
      if (!input.empty()) readers[input].push_back(i);
  }
  std::unordered_set<std::string> results;
  for (const OnnxValue& output : graph.outputs) results.insert(output.name);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (known[i]) continue;
    OnnxNode& n = graph.nodes[i];
    std::optional<std::vector<OnnxScope>> shared;
    const auto meet = [&](size_t other) {
      if (!known[other]) return;
      const std::vector<OnnxScope>& scopes = graph.nodes[other].scopes;
      if (!shared) shared = scopes;
      const auto differs = std::ranges::mismatch(*shared, scopes).in1;
      shared->erase(differs, shared->end());
    };
    for (const std::string& input : n.inputs)
      if (const auto maker = makers.find(input); maker != makers.end()) meet(maker->second);
    for (const std::string& output : n.outputs) {
      for (const size_t reader : readers[output]) meet(reader);
      if (results.contains(output)) shared.emplace();  // nothing is common to a module and the model
    }
    if (!shared) continue;
    n.scopes = *shared;
    known[i] = true;
  }
}

std::vector<OnnxScope> scopes_of(const onnx::NodeProto& node) {
  std::vector<OnnxScope> scopes;
  const auto add = [&](const std::string& part, const std::string& kind) {
    if (!part.empty() && scopes.size() < kMostScopes)
      scopes.push_back({joined(scopes.empty() ? "" : scopes.back().path, part), kind});
  };
  const auto metadata = metadata_of(node, kOfNode);
  if (const auto written = metadata.find(kNameScopes); written != metadata.end()) {
    const auto names = python_list(written->second);
    const auto hierarchy = metadata.find("pkg.torch.onnx.class_hierarchy");
    const auto classes = hierarchy == metadata.end() ? std::vector<std::string>() : python_list(hierarchy->second);
    for (size_t i = 0; i + 1 < names.size(); ++i) add(names[i], i + 1 < classes.size() ? class_of(classes[i]) : "");
    return scopes;
  }
  const std::string name = as_utf8(node.name());
  for (size_t begin = 0, end; (end = name.find('/', begin)) != name.npos; begin = end + 1)
    add(name.substr(begin, end - begin), "");
  return scopes;
}

}  // namespace hw::interop
