// Norms as operators of ONNX.
#include "app/interop/onnx/exporter.h"
#include "engine/core/codes.h"

namespace hw::interop {
namespace {

std::string scale_of(Exporter& ex, const std::string& parameter, double otherwise, DType dtype, int64_t channels) {
  if (ex.params().boolean("affine")) return ex.weight(parameter);
  return ex.initializer(
      Tensor::from_f64(dtype, {channels}, std::vector<double>(static_cast<size_t>(channels), otherwise)));
}

Status batch_norm(Exporter& ex) {
  const int64_t channels = ex.weight_value("running_mean").size();
  const DType dtype = ex.params().dtype("dtype");
  ex.add("BatchNormalization",
         {ex.in("x"), scale_of(ex, "weight", 1, dtype, channels), scale_of(ex, "bias", 0, dtype, channels),
          ex.weight("running_mean"), ex.weight("running_var")},
         {{"epsilon", ex.params().real("epsilon")}}, ex.out("y"));
  return ok();
}

Status instance_norm(Exporter& ex) {
  const Axis& channels = ex.type_in("x").shape[1];
  if (!channels.known()) return unsupported("its channels are symbolic.");
  const DType dtype = ex.params().dtype("dtype");
  ex.add("InstanceNormalization",
         {ex.in("x"), scale_of(ex, "weight", 1, dtype, channels.size), scale_of(ex, "bias", 0, dtype, channels.size)},
         {{"epsilon", ex.params().real("epsilon")}}, ex.out("y"));
  return ok();
}

Status layer_norm(Exporter& ex) {
  const Axis& last = ex.type_in("x").shape[ex.rank("x") - 1];
  if (!last.known()) return unsupported("its last axis is symbolic.");
  const DType dtype = ex.params().dtype("dtype");
  ex.add("LayerNormalization",
         {ex.in("x"), scale_of(ex, "weight", 1, dtype, last.size), scale_of(ex, "bias", 0, dtype, last.size)},
         {{"axis", int64_t{-1}}, {"epsilon", ex.params().real("epsilon")}}, ex.out("y"));
  return ok();
}

Status local_response_norm(Exporter& ex) {
  if (ex.params().integer("channels") % 2 == 0) return unsupported("an even number of channels lies otherwise there.");
  ex.add("LRN", {ex.in("x")},
         {{"size", ex.params().integer("channels")},
          {"alpha", ex.params().real("alpha")},
          {"beta", ex.params().real("beta")},
          {"bias", ex.params().real("k")}},
         ex.out("y"));
  return ok();
}

// Norms of narrow floats are computed in f32 and rounded once, which the operators of one norm do not promise.

/// Each group as one channel of an Instance Norm; scaled and shifted channel by channel behind.
Status group_norm_by_parts(Exporter& ex, int64_t groups, double epsilon) {
  const Shape& x = ex.type_in("x").shape;
  const DType dtype = ex.params().dtype("dtype"), wide = wide_of(dtype);
  const auto filled = [&](double value) {
    return ex.initializer(Tensor::from_f64(wide, {groups}, std::vector<double>(static_cast<size_t>(groups), value)));
  };
  const std::string whole = ex.converted(ex.in("x"), dtype, wide);
  const std::string parts = ex.add("Reshape", {whole, ex.integers_value({0, groups, -1})});
  const std::string even = ex.add("InstanceNormalization", {parts, filled(1), filled(0)}, {{"epsilon", epsilon}});
  const std::string sizes = x.fully_known() ? ex.integers_value(x.dims()) : ex.add("Shape", {ex.in("x")});
  std::string y = ex.add("Reshape", {even, sizes});
  if (ex.params().boolean("affine")) {
    const auto beside = [&](const std::string& parameter) {  // [C, 1, ..]
      const Tensor& value = ex.weight_value(parameter);
      Dims dims(x.rank() - 1, 1);
      dims[0] = value.size();
      return ex.initializer(value.to(wide).reshaped(dims), ex.node().id + "." + parameter + "_column");
    };
    y = ex.add("Mul", {y, beside("weight")});
    y = ex.add("Add", {y, beside("bias")});
  }
  ex.converted(y, wide, dtype, ex.out("y"));
  return ok();
}

Status group_norm(Exporter& ex) {
  const Axis& channels = ex.type_in("x").shape[1];
  if (!channels.known()) return unsupported("its channels are symbolic.");
  const DType dtype = ex.params().dtype("dtype");
  const int64_t groups = ex.params().integer("groups");
  const double epsilon = ex.params().real("epsilon");
  // Before opset 21 it scales groups, not channels.
  if (ex.opset() < 21 || dtype != DType::f32) return group_norm_by_parts(ex, groups, epsilon);
  ex.add("GroupNormalization",
         {ex.in("x"), scale_of(ex, "weight", 1, dtype, channels.size), scale_of(ex, "bias", 0, dtype, channels.size)},
         {{"num_groups", groups}, {"epsilon", epsilon}}, ex.out("y"));
  return ok();
}

/// x ÷ √(mean of squares + ε) · weight.
Status rms_norm(Exporter& ex) {
  const Axis& last = ex.type_in("x").shape[ex.rank("x") - 1];
  const DType dtype = ex.params().dtype("dtype"), wide = wide_of(dtype);
  const double epsilon = ex.params().real("epsilon");
  if (ex.opset() >= 23 && dtype == DType::f32 && last.known()) {
    ex.add("RMSNormalization", {ex.in("x"), scale_of(ex, "weight", 1, dtype, last.size)},
           {{"axis", int64_t{-1}}, {"epsilon", epsilon}}, ex.out("y"));
    return ok();
  }
  const std::string x = ex.converted(ex.in("x"), dtype, wide);
  const std::string mean = ex.reduce("ReduceMean", ex.add("Mul", {x, x}), {-1}, true);
  const std::string root = ex.add("Sqrt", {ex.add("Add", {mean, ex.scalar(wide, epsilon)})});
  std::string y = ex.add("Div", {x, root});
  if (ex.params().boolean("affine")) y = ex.add("Mul", {y, ex.converted(ex.weight("weight"), dtype, wide)});
  ex.converted(y, wide, dtype, ex.out("y"));
  return ok();
}

}  // namespace

std::span<const ExportRow> export_norm_rules() {
  static constexpr ExportRow kRows[]{
      {"batch_norm", batch_norm},
      {"group_norm", group_norm},
      {"instance_norm", instance_norm},
      {"layer_norm", layer_norm},
      {"local_response_norm", local_response_norm},
      {"rms_norm", rms_norm},
  };
  return kRows;
}

}  // namespace hw::interop
