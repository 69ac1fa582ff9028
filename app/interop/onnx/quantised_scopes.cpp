#include "app/interop/onnx/quantised_scopes.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>
#include <unordered_set>

namespace hw::interop {
namespace {

constexpr std::string_view kPair = "QDQ";

bool is(const OnnxNode& n, const char* op) {
  return n.op == op && n.domain.empty();
}

/// "QDQ uint8"; "QDQ" where the dtype is not known without running.
std::string kind_of(const OnnxNode& quantize, const OnnxGraph& graph) {
  int64_t number = quantize.integer("output_dtype", 0);
  if (quantize.inputs.size() > 2 && !quantize.inputs[2].empty()) {
    const auto zero = graph.initializers.find(quantize.inputs[2]);
    const auto wider = graph.held_wider.find(quantize.inputs[2]);
    if (zero == graph.initializers.end()) return std::string(kPair);
    number = wider != graph.held_wider.end() ? wider->second : number_of(zero->second.dtype());
  } else if (number == 0) {
    number = number_of(DType::u8);
  }
  std::string name = onnx_name(number);
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::string(kPair) + " " + name;
}

}  // namespace

void scope_quantised_pairs(OnnxModel& model) {
  OnnxGraph& graph = model.graph;
  std::unordered_map<std::string, std::vector<size_t>> readers;
  std::unordered_set<std::string> outputs;
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    for (const std::string& value : graph.nodes[i].inputs) readers[value].push_back(i);
  for (const OnnxValue& output : graph.outputs) outputs.insert(output.name);
  for (OnnxNode& quantize : graph.nodes) {
    if (!is(quantize, "QuantizeLinear") || quantize.outputs.empty() || outputs.contains(quantize.outputs[0])) continue;
    const auto found = readers.find(quantize.outputs[0]);
    if (found == readers.end()) continue;
    const bool are_pairs = std::ranges::all_of(found->second, [&](size_t i) {
      const OnnxNode& n = graph.nodes[i];
      return is(n, "DequantizeLinear") && n.inputs[0] == quantize.outputs[0] && n.scopes == quantize.scopes;
    });
    if (!are_pairs) continue;
    const std::string name = quantize.name.empty() ? quantize.outputs[0] : quantize.name;
    const OnnxScope scope{quantize.scopes.empty() ? name : quantize.scopes.back().path + "." + name,
                          kind_of(quantize, graph)};
    for (const size_t i : found->second) graph.nodes[i].scopes.push_back(scope);
    quantize.scopes.push_back(scope);
  }
}

bool is_quantised_pair(const OnnxScope& scope) {
  return scope.kind == kPair || scope.kind.starts_with(std::string(kPair) + " ");
}

}  // namespace hw::interop
