// Values that do not depend on what the graph is given are computed while it is imported.
#include <algorithm>

#include "app/interop/onnx/importer.h"
#include "engine/core/codes.h"
#include "engine/devices/devices.h"
#include "engine/evaluate/evaluation.h"

namespace hw::interop {
namespace {

// Elements of constants that are computed of fewer; whole numbers would be written into the graph.
constexpr int64_t kMostFolded = 1 << 18, kMostFoldedWhole = 1 << 14;

class NoAssets : public Assets {
 public:
  Result<std::shared_ptr<const Mesh>> mesh(const std::string&) override { return none(); }
  Result<std::shared_ptr<const Image>> image(const std::string&) override { return none(); }
  Result<std::shared_ptr<const Dataset>> dataset(const std::string&, const DatasetSpec&) override { return none(); }

 private:
  static Error none() { return {codes::asset_missing, "", "an ONNX model reads no files.", ""}; }
};

/// Whose elements may each be a long sum.
bool makes_products(const std::string& op) {
  return op == "MatMul" || op == "Gemm" || op == "Einsum" || op.find("Conv") != std::string::npos;
}

/// Whose result has the elements of its input, in some order or under other sizes.
bool moves_only(const std::string& op) {
  constexpr std::string_view kOps[]{"Cast", "Flatten", "Identity", "Reshape", "Squeeze", "Transpose", "Unsqueeze"};
  return std::ranges::count(kOps, op) > 0;
}

/// A matrix becomes its transpose.
bool swaps_axes(const OnnxNode& n, const Dims& dims) {
  return n.op == "Transpose" && n.domain.empty() && dims.size() == 2 &&
         (!n.has("perm") || n.integers("perm") == std::vector<int64_t>{1, 0});
}

/// The value of a wire whose cone has no Input, on the ref device.
Result<Tensor> folded(const Graph& graph, const SocketRef& wire, const Weights& weights) {
  NoAssets assets;
  HW_TRY(std::shared_ptr<Device> device, make_device("ref"));
  HW_TRY(Evaluation evaluation, Evaluation::make(graph, std::span(&wire, 1), assets, std::move(device),
                                                 {.passes_off = every_pass(), .pinned = PinnedNodes::ignored}));
  HW_CHECK(evaluation.set_weights(&weights, 0, Lacking::refused));
  HW_CHECK(evaluation.run());
  return evaluation.read(0);
}

}  // namespace

void Importer::fold(const OnnxNode& n) {
  const auto is_constant = [&](const std::string& value) { return value.empty() || constants_.contains(value); };
  if (n.inputs.empty() || !std::ranges::all_of(n.inputs, is_constant)) return;
  if (added_.empty()) {
    if (const std::vector<std::string> read = sources(); !read.empty())
      for (const std::string& output : n.outputs)
        if (constants_.contains(output)) source_[output] = read.front();
    return;
  }
  int64_t read_elements = 0;
  for (const std::string& input : n.inputs)
    if (!input.empty()) read_elements = std::max(read_elements, constants_.find(input)->size());
  std::map<std::string, StoredTensor> values;
  double bytes = 0;
  for (const std::string& output : n.outputs) {
    const auto wire = wires_.find(output);
    if (wire == wires_.end()) continue;
    if (const StoredTensor* matrix = constants_.find(n.inputs[0]); matrix && swaps_axes(n, matrix->dims())) {
      values[output] = matrix->turned();  // nothing is computed before it is read
      continue;
    }
    const auto known = validator_.output_type(wire->second.node, wire->second.socket);
    const int64_t most = known && info(known->dtype).is_float ? kMostFolded : kMostFoldedWhole;
    const int64_t elements = known ? element_count(known->shape.dims()) : -1;
    if (elements < 0 || elements > (makes_products(n.op) ? kMostBeside : std::max(most, read_elements))) return;
    bytes += elements > kMostBeside ? static_cast<double>(byte_count(known->dtype, elements)) : 0;
    if (filled_ + bytes > kMostFilled) return;
    auto value = folded(graph_, wire->second, weights_);
    if (!value) return;
    values[output] = std::move(*value);
  }
  if (values.empty()) return;  // what it makes is no value, as a sequence
  filled_ += bytes;
  const std::vector<std::string> read = sources();
  const auto is_computed = [&](const std::string& value) { return kept_.contains(value); };
  const auto is_weight = [&](const std::string& value) { return trains(value); };
  if (std::ranges::any_of(n.inputs, is_computed) || (std::ranges::any_of(n.inputs, is_weight) && !moves_only(n.op))) {
    // A layer takes the value as its weight; any other operator reads the wire, behind which the weight trains.
    kept_nodes_.insert(kept_nodes_.end(), added_.begin(), added_.end());
    for (const auto& [output, value] : values) kept_.insert(output);
  } else {
    take_back();
  }
  for (auto& [output, value] : values) {
    constants_.define(output, std::move(value));
    if (!read.empty()) source_[output] = read.front();
  }
}

}  // namespace hw::interop
