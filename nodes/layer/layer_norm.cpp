// Layer Norm over the last axis. Statistics are f32 or wider for every storage dtype.
#include "engine/node/shapes.h"

namespace hw::nodes::layer_norm {

static void declare(NodeDecl& d) {
  d.title("Layer Norm").category("Layer").summary("Normalises the last axis to mean 0 and variance 1.");
  d.doc(
      "`y = (x - mean) / √(variance + epsilon) · weight + bias`, mean and variance (over n) of each run along the last "
      "axis. [.., C] to [.., C]; `weight` starts at 1, `bias` at 0, both [C]. The same in training and evaluation. "
      "Sums "
      "are f64 and the arithmetic f32 (f64 for f64) whatever the storage dtype.");
  d.source("Ba et al. 2016, Layer Normalization; PyTorch, `torch.nn.LayerNorm`");
  d.keywords("layernorm normalisation normalization transformer standardise LayerNormalization");
  d.autocast(Autocast::f32);
  d.real("epsilon", 1e-5).docs("Added to the variance.").above(0).at_most(1).logarithmic();
  d.boolean("affine", true).docs("Scale and shift each channel by trained numbers.");
  d.dtype("dtype", DType::f32, running_floats()).labelled("dtype").docs("Storage dtype of weights, input and output.");
  d.weight("weight", "dtype", "[C]", "affine");
  d.weight("bias", "dtype", "[C]", "affine");
  d.input("x").dtype_of("dtype").with_axes(".. C");
  d.output("y").dtype_of("dtype").with_axes(".. C");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_TRY(const int64_t channels, shapes::last_size(a, "x"));
  if (channels < 1)
    return Error{codes::size_mismatch, "x", "the last axis is empty in " + to_string(a.shape("x")) + ".",
                 "Give it at least one element."};
  return shapes::same_as(a, "x");
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  if (!b.status()) return {Val{}};
  const int64_t channels = b[x].dims.back();
  const DType dtype = a.params().dtype("dtype");
  const auto filled = [&](const char* name, double value) {
    if (a.params().boolean("affine")) return b.param(name, dtype, {channels}, {Init::Kind::constant, value});
    return b.broadcast_to(b.constant(Tensor::from_f64(dtype, {}, {{value}})), {channels});
  };
  const GroupNormAttr attr{channels, channels, 1, a.params().real("epsilon")};
  return {b.emit(Op::group_norm, {x, filled("weight", 1), filled("bias", 0)}, attr)[0]};
}

static Examples examples() {
  return {
      {.name = "rows", .inputs = {{"x", DType::f32, {5, 9}, {"N", "C"}}}, .tolerance_factor = 3},
      {.name = "tokens",
       .inputs = {{"x", DType::f32, {2, 3, 8}, {"batch", "seq", "hidden"}}},
       .params = {{"affine", false}, {"epsilon", 1e-3}},
       .tolerance_factor = 3},
      {.name = "vector", .inputs = {{"x", DType::f32, {7}, {"C"}}}, .tolerance_factor = 3},
  };
}

}  // namespace hw::nodes::layer_norm

HW_NODE(layer_norm)
