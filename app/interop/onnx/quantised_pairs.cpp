#include "app/interop/onnx/quantised_pairs.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace hw::interop {
namespace {

bool is_f8(DType dtype) {
  return dtype == DType::f8e4m3 || dtype == DType::f8e5m2;
}

class Pairs {
 public:
  Pairs(OnnxModel& model, std::set<std::string>& constants)
      : graph_(model.graph), constants_(constants), has_f8_(model.opset >= 19) {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      for (const std::string& value : graph_.nodes[i].inputs) ++reads_[value];
      for (const std::string& value : graph_.nodes[i].outputs) maker_[value] = i;
    }
    for (const OnnxValue& output : graph_.outputs) ++reads_[output.name];
  }

  void run() {
    for (OnnxNode& n : graph_.nodes) {
      if (n.op == "Cast") quantised(n);
      if (n.op == "Mul") dequantised(n);
    }
    std::erase_if(graph_.nodes, [](const OnnxNode& n) { return n.op.empty(); });
    std::set<std::string> read;
    for (const OnnxNode& n : graph_.nodes) read.insert(n.inputs.begin(), n.inputs.end());
    std::erase_if(constants_, [&](const std::string& name) {
      if (read.contains(name)) return false;
      graph_.initializers.erase(name);
      return true;
    });
  }

 private:
  bool is_narrow(DType dtype) const { return dtype == DType::i8 || dtype == DType::u8 || (has_f8_ && is_f8(dtype)); }

  /// One number above 0 in f32.
  bool is_scale(const std::string& value) const {
    const std::optional<double> number = scalar(value);
    return number && graph_.initializers.at(value).dtype() == DType::f32 && *number > 0 && std::isfinite(*number);
  }

  std::optional<double> scalar(const std::string& value) const {
    const auto found = graph_.initializers.find(value);
    if (found == graph_.initializers.end() || !found->second.dims().empty()) return std::nullopt;
    const Tensor* number = found->second.in_memory();
    return number ? std::optional(number->to_f64().front()) : std::nullopt;
  }

  /// What makes input `i`, which is such an operator that only `n` reads; else null.
  OnnxNode* maker(const OnnxNode& n, const char* op, size_t i = 0) {
    const auto found = i < n.inputs.size() ? maker_.find(n.inputs[i]) : maker_.end();
    if (found == maker_.end() || reads_.at(n.inputs[i]) != 1) return nullptr;
    OnnxNode& made = graph_.nodes[found->second];
    return made.op == op && made.scopes == n.scopes ? &made : nullptr;
  }

  void quantised(OnnxNode& n) {
    const std::optional<DType> to = dtype_of(n.integer("to", 0));
    if (!to || !is_narrow(*to)) return;
    std::vector<OnnxNode*> between;
    if (!is_f8(*to)) {
      OnnxNode* clip = maker(n, "Clip");
      const double least = *to == DType::u8 ? 0 : -128;
      if (!clip || scalar(clip->inputs.at(1)) != least || scalar(clip->inputs.at(2)) != least + 255) return;
      OnnxNode* round = maker(*clip, "Round");
      if (!round) return;
      between = {clip, round};
    }
    OnnxNode* divided = maker(between.empty() ? n : *between.back(), "Div");
    if (!divided || !is_scale(divided->inputs.at(1))) return;
    between.push_back(divided);
    const std::string zero = n.name + "/zero_point";
    graph_.initializers[zero] = Tensor::from_f64(*to, {}, {{0.0}});
    constants_.insert(zero);
    n.op = "QuantizeLinear";
    n.inputs = {divided->inputs[0], divided->inputs[1], zero};
    n.attributes.erase("to");
    for (OnnxNode* gone : between) gone->op.clear();
  }

  void dequantised(OnnxNode& n) {
    for (const size_t i : {0, 1}) {
      OnnxNode* cast = maker(n, "Cast", i);
      if (!cast || cast->integer("to", 0) != number_of(DType::f32) || !is_scale(n.inputs.at(1 - i))) continue;
      const std::string narrow = cast->inputs.at(0), scale = n.inputs[1 - i];
      const auto made = maker_.find(narrow);
      const auto stored = graph_.initializers.find(narrow);
      const bool is_quantised = made != maker_.end() && graph_.nodes[made->second].op == "QuantizeLinear";
      if (!is_quantised && (stored == graph_.initializers.end() || !is_narrow(stored->second.dtype()))) continue;
      n.op = "DequantizeLinear";
      n.inputs = {narrow, scale};
      cast->op.clear();
      return;
    }
  }

  OnnxGraph& graph_;
  std::set<std::string>& constants_;
  bool has_f8_;
  std::unordered_map<std::string, size_t> reads_, maker_;  // by value
};

}  // namespace

void pair_quantised(OnnxModel& model, std::set<std::string>& constants) {
  Pairs(model, constants).run();
}

}  // namespace hw::interop
