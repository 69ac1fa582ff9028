// Layers with weights and pools as operators of ONNX.
#include <algorithm>

#include "app/interop/onnx/exporter.h"
#include "engine/core/codes.h"
#include "engine/node/sliding.h"

namespace hw::interop {
namespace {

/// A list of one number stands for all axes.
std::vector<int64_t> along(Exporter& ex, const std::string& param, size_t axes) {
  std::vector<int64_t> list = ex.integers(param);
  if (list.size() == 1) list.assign(axes, list.front());
  return list;
}

/// Attributes of windows; `pads` are what the padding comes to for this input. Error: that depends on symbolic sizes.
Result<Exporter::Attributes> windows(Exporter& ex, bool dilates) {
  const Params& p = ex.params();
  const size_t axes = ex.rank("x") - 2;
  sliding::Windows w;
  for (size_t d = 0; d < axes; ++d)
    w.size.push_back(ex.type_in("x").shape[d + 2].known() ? ex.type_in("x").shape[d + 2].size : -1);
  w.kernel = along(ex, "kernel_size", axes);
  w.stride = along(ex, "stride", axes);
  for (size_t d = 0; d < axes; ++d)
    if (w.stride[d] == 0) w.stride[d] = w.kernel[d];
  w.dilation = dilates ? along(ex, "dilation", axes) : std::vector<int64_t>(axes, 1);
  const bool sized = std::ranges::find(w.size, -1) == w.size.end();
  if (!sized && p.text("padding") == "same") return unsupported("its padding depends on a symbolic size.");
  HW_CHECK(sliding::pad(p, w));
  std::vector<int64_t> pads = w.begin;
  pads.insert(pads.end(), w.end.begin(), w.end.end());
  Exporter::Attributes attributes{{"kernel_shape", w.kernel}, {"strides", w.stride}, {"pads", pads}};
  if (dilates) attributes["dilations"] = w.dilation;
  return attributes;
}

std::vector<std::string> with_weights(Exporter& ex) {
  std::vector<std::string> inputs{ex.in("x"), ex.weight("weight")};
  if (ex.params().boolean("bias")) inputs.push_back(ex.weight("bias"));
  return inputs;
}

Status conv(Exporter& ex) {
  HW_CHECK(ex.computes_in_storage());
  HW_TRY(Exporter::Attributes attributes, windows(ex, true));
  attributes["group"] = ex.params().integer("groups");
  ex.add("Conv", with_weights(ex), attributes, ex.out("y"));
  return ok();
}

Status conv_transpose(Exporter& ex) {
  HW_CHECK(ex.computes_in_storage());
  if (ex.params().text("padding") == "same") return unsupported("padding as same.");
  HW_TRY(Exporter::Attributes attributes, windows(ex, true));
  attributes["group"] = ex.params().integer("groups");
  attributes["output_padding"] = along(ex, "output_padding", ex.rank("x") - 2);
  ex.add("ConvTranspose", with_weights(ex), attributes, ex.out("y"));
  return ok();
}

Status linear(Exporter& ex) {
  HW_CHECK(ex.computes_in_storage());
  ex.dense(ex.in("x"), ex.rank("x"), "weight", ex.params().boolean("bias") ? "bias" : "", ex.out("y"));
  return ok();
}

Status mlp(Exporter& ex) {
  HW_CHECK(ex.computes_in_storage());
  const Params& p = ex.params();
  std::string h = ex.in("x");
  const int64_t hidden = p.integer("hidden_layers");
  for (int64_t i = 0; i <= hidden; ++i) {
    const std::string index = std::to_string(i), bias = p.boolean("bias") ? "bias_" + index : "";
    const std::string& activation = p.text(i < hidden ? "activation" : "output_activation");
    const bool last = i == hidden, active = activation != "none";
    h = ex.dense(h, ex.rank("x"), "layer_" + index, bias, last && !active ? ex.out("y") : "");
    if (active) h = ex.add(activation == "relu" ? "Relu" : "Sigmoid", {h}, {}, last ? ex.out("y") : "");
  }
  return ok();
}

Status embedding(Exporter& ex) {
  ex.add("Gather", {ex.weight("table"), ex.index("index")}, {{"axis", int64_t{0}}}, ex.out("y"));
  return ok();
}

/// The slopes lie against the axes from the channels on.
Status prelu(Exporter& ex) {
  const size_t rank = ex.rank("x");
  Dims dims(ex.params().boolean("per_channel") ? rank - 1 : 0, 1);
  const Tensor slopes = ex.weight_value("weight");
  if (!dims.empty()) dims[0] = slopes.size();
  ex.add("PRelu", {ex.in("x"), ex.initializer(slopes.reshaped(dims), ex.node().id + ".weight_column")}, {},
         ex.out("y"));
  return ok();
}

Status max_pool(Exporter& ex) {
  HW_TRY(const Exporter::Attributes attributes, windows(ex, false));
  ex.add("MaxPool", {ex.in("x")}, attributes, ex.out("y"));
  return ok();
}

Status avg_pool(Exporter& ex) {
  HW_TRY(Exporter::Attributes attributes, windows(ex, false));
  attributes["count_include_pad"] = int64_t{ex.params().boolean("count_include_pad") ? 1 : 0};
  ex.add("AveragePool", {ex.in("x")}, attributes, ex.out("y"));
  return ok();
}

Status global_avg_pool(Exporter& ex) {
  if (ex.params().boolean("keep_axes")) {
    ex.add("GlobalAveragePool", {ex.in("x")}, {}, ex.out("y"));
    return ok();
  }
  ex.add("Flatten", {ex.add("GlobalAveragePool", {ex.in("x")})}, {{"axis", int64_t{1}}}, ex.out("y"));
  return ok();
}

Status dropout(Exporter& ex) {
  ex.add("Dropout", {ex.in("x"), ex.scalar(DType::f32, ex.params().real("p"))}, {}, ex.out("y"));
  return ok();
}

}  // namespace

std::span<const ExportRow> export_layer_rules() {
  static constexpr ExportRow kRows[]{
      {"avg_pool", avg_pool},
      {"avg_pool1d", avg_pool},
      {"avg_pool3d", avg_pool},
      {"conv1d", conv},
      {"conv2d", conv},
      {"conv3d", conv},
      {"conv_transpose1d", conv_transpose},
      {"conv_transpose2d", conv_transpose},
      {"dropout", dropout},
      {"embedding", embedding},
      {"global_avg_pool", global_avg_pool},
      {"linear", linear},
      {"max_pool", max_pool},
      {"max_pool1d", max_pool},
      {"max_pool3d", max_pool},
      {"mlp", mlp},
      {"prelu", prelu},
  };
  return kRows;
}

}  // namespace hw::interop
