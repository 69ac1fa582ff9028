// Group Norm: each picture's channels normalised in groups. Statistics are f32 or wider for every storage dtype.
#include "engine/core/sizes.h"
#include "engine/node/shapes.h"

namespace hw::nodes::group_norm {

static void declare(NodeDecl& d) {
  d.title("Group Norm").category("Layer").summary("Normalises groups of channels of each picture.");
  d.doc(
      "`y = (x - mean) / √(variance + epsilon) · weight + bias`, mean and variance (over n) of each group of "
      "C / groups channels of one sample, over all its elements. [N, C, ..] to [N, C, ..]; `weight` starts at 1, "
      "`bias` "
      "at 0, both [C]. `groups` = 1 takes all channels together, `groups` = C each alone (instance norm). No "
      "statistics "
      "of the batch: the same in training and evaluation, at any batch size. Sums are f64 and the arithmetic f32 (f64 "
      "for f64) whatever the storage dtype.");
  d.source("Wu and He 2018, Group Normalization; PyTorch, `torch.nn.GroupNorm`");
  d.keywords("groupnorm instance normalisation normalization picture image GroupNormalization");
  d.autocast(Autocast::f32);
  d.integer("groups", 8).docs("Must divide the channels.").range(1, 65536);
  d.real("epsilon", 1e-5).docs("Added to the variance.").above(0).at_most(1).logarithmic();
  d.boolean("affine", true).docs("Scale and shift each channel by trained numbers.");
  d.dtype("dtype", DType::f32, running_floats()).labelled("dtype").docs("Storage dtype of weights, input and output.");
  d.weight("weight", "dtype", "[C]", "affine");
  d.weight("bias", "dtype", "[C]", "affine");
  d.input("x").dtype_of("dtype").with_axes("N C ..");
  d.output("y").dtype_of("dtype").with_axes("N C ..");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_TRY(const int64_t channels, shapes::channels_of(a, "x"));
  const int64_t groups = a.params().integer("groups");
  if (channels % groups != 0)
    return Error{codes::bad_parameter, "groups",
                 "must divide the " + std::to_string(channels) + " channels of " + to_string(a.shape("x")) + ", got " +
                     std::to_string(groups) + ".",
                 "1 takes all channels together."};
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
  const GroupNormAttr attr{size_product({channels / a.params().integer("groups"), inner}), channels, inner,
                           a.params().real("epsilon")};
  return {b.emit(Op::group_norm, {x, filled("weight", 1), filled("bias", 0)}, attr)[0]};
}

static Examples examples() {
  const std::vector<std::string> axes{"N", "C", "H", "W"};
  return {
      {.name = "pictures",
       .inputs = {{"x", DType::f32, {2, 6, 3, 4}, axes}},
       .params = {{"groups", int64_t{2}}},
       .tolerance_factor = 4},
      {.name = "instance",
       .inputs = {{"x", DType::f32, {3, 2, 5, 3}, axes}},
       .params = {{"groups", int64_t{2}}, {"affine", false}, {"epsilon", 1e-3}},
       .tolerance_factor = 4},
      {.name = "features",
       .inputs = {{"x", DType::f32, {4, 12}, {"N", "C"}}},
       .params = {{"groups", int64_t{3}}},
       .tolerance_factor = 3},
  };
}

}  // namespace hw::nodes::group_norm

HW_NODE(group_norm)
