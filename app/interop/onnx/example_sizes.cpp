#include "app/interop/onnx/example_sizes.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "engine/core/sizes.h"

namespace hw::interop {
namespace {

constexpr int64_t kBatch = 1, kColours = 3, kTokens = 16, kPicture = 224, kVolume = 32;

bool says(const std::string& symbol, std::initializer_list<const char*> words) {
  std::string lower = symbol;
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::ranges::any_of(words, [&](const char* word) { return lower.find(word) != lower.npos; });
}

/// Whether a symbol is "h" or "W", or these with numbers, as "4*h4" is.
bool is_side(const std::string& symbol) {
  std::string letters;
  std::ranges::copy_if(symbol, std::back_inserter(letters), [](unsigned char c) { return std::isalpha(c) != 0; });
  return letters == "h" || letters == "w" || letters == "H" || letters == "W";
}

/// What a layer that reads the input has along its weight; 0: nothing of the axis.
int64_t size_of_weight(const OnnxNode& n, const Dims& weight, size_t rank, size_t axis) {
  const bool is_last = axis + 1 == rank;
  if (n.op == "Conv" && axis == 1 && weight.size() >= 3)
    return size_product({weight[1], std::max<int64_t>(0, n.integer("group", 1))});
  if (n.op == "ConvTranspose" && axis == 1 && weight.size() >= 3) return weight[0];
  if (n.op == "MatMul" && is_last && weight.size() >= 2) return weight[weight.size() - 2];
  if (n.op == "Gemm" && is_last && weight.size() == 2 && n.integer("transA", 0) == 0)
    return weight[n.integer("transB", 0) != 0 ? 1 : 0];
  return 0;
}

std::optional<ExampleSize> size_of_weight(const OnnxGraph& graph, const OnnxValue& input, size_t axis) {
  for (const OnnxNode& n : graph.nodes) {
    if (!n.domain.empty() || n.inputs.size() < 2 || n.inputs[0] != input.name) continue;
    const auto weight = graph.initializers.find(n.inputs[1]);
    if (weight == graph.initializers.end()) continue;
    const int64_t size = size_of_weight(n, weight->second.dims(), input.dims->size(), axis);
    if (size >= 1 && size <= kMostSize)
      return ExampleSize{size, "weight of " + n.op + (n.name.empty() ? "" : " " + n.name)};
  }
  return std::nullopt;
}

}  // namespace

std::string symbol_of(const OnnxValue& input, size_t axis) {
  const std::string& symbol = (*input.dims)[axis].symbol;
  return symbol.empty() ? input.name + "_" + std::to_string(axis) : symbol;
}

ExampleSize example_size(const OnnxGraph& graph, const OnnxValue& input, size_t axis) {
  const std::string& symbol = (*input.dims)[axis].symbol;
  const size_t rank = input.dims->size();
  if (auto size = size_of_weight(graph, input, axis)) return std::move(*size);
  if (says(symbol, {"batch"})) return {kBatch, "by its name: a batch"};
  if (says(symbol, {"seq", "len", "token", "time", "frame"})) return {kTokens, "by its name: a text"};
  if (says(symbol, {"height", "width"}) || (rank >= 3 && is_side(symbol)))
    return {kPicture, "by its name: side of a picture"};
  if (says(symbol, {"channel"})) return {kColours, "by its name: colours"};
  if (axis == 0) return {kBatch, "first axis: a batch"};
  if (rank == 4)
    return axis == 1 ? ExampleSize{kColours, "second of 4 axes: colours"}
                     : ExampleSize{kPicture, "one of 4 axes: side of a picture"};
  if (rank == 5 && axis >= 2) return {kVolume, "one of 5 axes: side of a volume"};
  return {kTokens, "a guess: neither name nor axis tells"};
}

std::vector<SymbolicSize> symbolic_sizes(const OnnxGraph& graph) {
  std::vector<SymbolicSize> sizes;
  for (const OnnxValue& input : graph.inputs) {
    if (!input.dims || graph.initializers.contains(input.name)) continue;
    for (size_t d = 0; d < input.dims->size(); ++d) {
      if ((*input.dims)[d].size >= 0) continue;
      const std::string symbol = symbol_of(input, d);
      auto at = std::ranges::find(sizes, symbol, &SymbolicSize::symbol);
      if (at == sizes.end())
        at = sizes.insert(at, {symbol, {}, example_size(graph, input, d)});
      else if (auto size = size_of_weight(graph, input, d))
        at->example = std::move(*size);
      at->uses.push_back({&input, d});
    }
  }
  return sizes;
}

std::string size_problem(double size, int64_t multiple) {
  if (std::floor(size) != size) return "It has to be a whole number.";  // NaN too
  if (size < 1) return "It has to be at least 1.";
  if (size > static_cast<double>(kMostSize)) return "It can be " + std::to_string(kMostSize) + " at most.";
  const auto whole = static_cast<int64_t>(size), below = whole / multiple * multiple;
  if (below == whole) return "";
  return "It has to be a multiple of " + std::to_string(multiple) + ": " +
         (below > 0 ? std::to_string(below) + " or " : "") + std::to_string(below + multiple) + ".";
}

std::string axis_name(const std::string& symbol, std::set<std::string>& taken) {
  std::string name;
  for (const char c : symbol)
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') name += c;
  if (name.empty()) name = "axis";
  std::string unique = name;
  for (int i = 2; !taken.insert(unique).second; ++i) unique = name + "_" + std::to_string(i);
  return unique;
}

}  // namespace hw::interop
