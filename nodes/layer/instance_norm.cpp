// Instance Norm: each channel of each sample normalised alone. Statistics are f32 or wider for every storage dtype.
#include "engine/core/sizes.h"
#include "engine/node/shapes.h"

namespace hw::nodes::instance_norm {

static void declare(NodeDecl& d) {
  d.title("Instance Norm").category("Layer").summary("Normalises each channel of each picture alone.");
  d.doc(
      "`y = (x - mean) / √(variance + epsilon) · weight + bias`, mean and variance (over n) of all elements of one "
      "channel of one sample. [N, C, L], [N, C, H, W], [N, C, ..] to the same. With `affine`: `weight` starts at 1, "
      "`bias` at 0, both [C]. The same in training and evaluation. Sums are f64 and the arithmetic f32 (f64 for f64) "
      "whatever the storage dtype. Group Norm takes several channels together.");
  d.source(
      "Ulyanov et al. 2016, Instance Normalization; PyTorch, `torch.nn.InstanceNorm2d`; ONNX, InstanceNormalization");
  d.keywords(
      "instancenorm normalisation normalization style transfer picture image contrast InstanceNorm1d InstanceNorm2d "
      "InstanceNorm3d InstanceNormalization");
  d.autocast(Autocast::f32);
  d.real("epsilon", 1e-5).docs("Added to the variance.").above(0).at_most(1).logarithmic();
  d.boolean("affine", false).docs("Scale and shift each channel by trained numbers.");
  d.dtype("dtype", DType::f32, running_floats()).labelled("dtype").docs("Storage dtype of weights, input and output.");
  d.weight("weight", "dtype", "[C]", "affine");
  d.weight("bias", "dtype", "[C]", "affine");
  d.input("x").dtype_of("dtype").with_axes("N C ..");
  d.output("y").dtype_of("dtype").with_axes("N C ..");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_CHECK(shapes::channels_of(a, "x"));
  if (a.shape("x").rank() < 3)
    return Error{codes::rank_mismatch, "x",
                 "needs an axis beside N and C to normalise over, got " + to_string(a.shape("x")) + ".",
                 "Layer Norm normalises the channels of [N, C]."};
  return shapes::same_as(a, "x");
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  if (!b.status()) return {Val{}};
  const Dims dims = b[x].dims;
  const int64_t channels = dims[1];
  int64_t inner = 1;
  for (size_t d = 2; d < dims.size(); ++d) inner = size_product({inner, dims[d]});
  const DType dtype = a.params().dtype("dtype");
  const auto filled = [&](const char* name, double value) {
    if (a.params().boolean("affine")) return b.param(name, dtype, {channels}, {Init::Kind::constant, value});
    return b.broadcast_to(b.constant(Tensor::from_f64(dtype, {}, {{value}})), {channels});
  };
  const GroupNormAttr attr{inner, channels, inner, a.params().real("epsilon")};
  return {b.emit(Op::group_norm, {x, filled("weight", 1), filled("bias", 0)}, attr)[0]};
}

static Examples examples() {
  return {
      {.name = "pictures", .inputs = {{"x", DType::f32, {2, 3, 3, 4}, {"N", "C", "H", "W"}}}, .tolerance_factor = 4},
      {.name = "sound",
       .inputs = {{"x", DType::f32, {3, 2, 9}, {"N", "C", "T"}}},
       .params = {{"affine", true}, {"epsilon", 1e-3}},
       .tolerance_factor = 4},
      {.name = "volume",
       .inputs = {{"x", DType::f32, {1, 2, 3, 2, 4}, {"N", "C", "D", "H", "W"}}},
       .params = {{"affine", true}},
       .tolerance_factor = 4},
  };
}

}  // namespace hw::nodes::instance_norm

HW_NODE(instance_norm)
