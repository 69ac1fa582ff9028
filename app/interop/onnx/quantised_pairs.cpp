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
  Pairs(OnnxModel& model, std::set<std::string>& constants, const std::map<std::string, Dims>& sizes)
      : graph_(model.graph), constants_(constants), sizes_(sizes), has_f8_(model.opset >= 19) {
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
    for (const OnnxValue& output : graph_.outputs) read.insert(output.name);
    replaced_.insert(constants_.begin(), constants_.end());
    for (const std::string& name : replaced_) {
      if (read.contains(name)) continue;
      graph_.initializers.erase(name);
      constants_.erase(name);
    }
  }

 private:
  bool is_narrow(DType dtype) const { return dtype == DType::i8 || dtype == DType::u8 || (has_f8_ && is_f8(dtype)); }

  /// Numbers above 0 in f32: one, or one along an axis of what they scale.
  struct Scale {
    std::string name;
    std::optional<int64_t> axis;
    int64_t count = 1;
    Dims dims() const { return axis ? Dims{count} : Dims{}; }
  };
  std::optional<Scale> scale_of(const std::string& name, const std::string& scaled) const {
    const auto found = graph_.initializers.find(name);
    const Tensor* numbers = found == graph_.initializers.end() ? nullptr : found->second.in_memory();
    if (!numbers || numbers->dtype() != DType::f32) return std::nullopt;
    if (!std::ranges::all_of(numbers->to_f64(), [](double s) { return s > 0 && std::isfinite(s); }))
      return std::nullopt;
    Scale scale{name, {}, 1};
    const Dims &dims = numbers->dims(), *x = sizes_of(scaled);
    if (dims.empty()) return scale;
    if (!x || dims.size() > x->size()) return std::nullopt;
    for (size_t d = 0; d < dims.size(); ++d) {
      if (dims[d] == 1) continue;
      const size_t axis = d + x->size() - dims.size();
      if (scale.axis || (*x)[axis] != dims[d]) return std::nullopt;
      scale.axis = static_cast<int64_t>(axis);
      scale.count = dims[d];
    }
    return scale;
  }

  /// Null: they are not known.
  const Dims* sizes_of(const std::string& value) const {
    if (const auto stored = graph_.initializers.find(value); stored != graph_.initializers.end())
      return &stored->second.dims();
    const auto made = sizes_.find(value);
    return made == sizes_.end() ? nullptr : &made->second;
  }

  /// The scales as the operators take them: one number, or a list, with its axis among the attributes.
  std::string put(OnnxNode& n, const Scale& scale) {
    if (scale.axis) n.attributes["axis"] = *scale.axis;
    const Tensor numbers = *graph_.initializers.at(scale.name).in_memory();
    if (numbers.dims() == scale.dims()) return scale.name;
    const std::string flat = scale.name + (scale.axis ? "/list" : "/number");
    graph_.initializers[flat] = numbers.reshaped(scale.dims());
    if (constants_.contains(scale.name)) constants_.insert(flat);
    replaced_.insert(scale.name);
    return flat;
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
    const auto scale = divided ? scale_of(divided->inputs.at(1), divided->inputs[0]) : std::nullopt;
    if (!scale) return;
    between.push_back(divided);
    const std::string zero = n.name + "/zero_point";
    const std::vector<double> zeros(static_cast<size_t>(scale->count), 0.0);
    graph_.initializers[zero] = Tensor::from_f64(*to, scale->dims(), zeros);
    constants_.insert(zero);
    n.op = "QuantizeLinear";
    n.inputs = {divided->inputs[0], put(n, *scale), zero};
    n.attributes.erase("to");
    for (OnnxNode* gone : between) gone->op.clear();
  }

  void dequantised(OnnxNode& n) {
    for (const size_t i : {0, 1}) {
      OnnxNode* cast = maker(n, "Cast", i);
      if (!cast || cast->integer("to", 0) != number_of(DType::f32)) continue;
      const std::string narrow = cast->inputs.at(0);
      const auto scale = scale_of(n.inputs.at(1 - i), narrow);
      if (!scale) continue;
      const auto made = maker_.find(narrow);
      const auto stored = graph_.initializers.find(narrow);
      const bool is_quantised = made != maker_.end() && graph_.nodes[made->second].op == "QuantizeLinear";
      if (!is_quantised && (stored == graph_.initializers.end() || !is_narrow(stored->second.dtype()))) continue;
      n.op = "DequantizeLinear";
      n.inputs = {narrow, put(n, *scale)};
      cast->op.clear();
      return;
    }
  }

  OnnxGraph& graph_;
  std::set<std::string>& constants_;
  const std::map<std::string, Dims>& sizes_;
  std::set<std::string> replaced_;  // initializers that may have no reader any more
  bool has_f8_;
  std::unordered_map<std::string, size_t> reads_, maker_;  // by value
};

}  // namespace

void pair_quantised(OnnxModel& model, std::set<std::string>& constants, const std::map<std::string, Dims>& sizes) {
  Pairs(model, constants, sizes).run();
}

}  // namespace hw::interop
