// Local Response Norm: each channel divided by what its neighbours say at the same place.
#include "engine/core/sizes.h"
#include "engine/node/shapes.h"

namespace hw::nodes::local_response_norm {

static void declare(NodeDecl& d) {
  d.title("Local Response Norm").category("Layer").summary("Divides each channel by the energy of its neighbours.");
  d.doc(
      "`y = x / (k + alpha · mean)^beta`, mean that of x² over the `channels` channels around, [N, C, ..] to the same; "
      "beyond the first and last channel zeros count. Of an even number one more lies before the channel than behind "
      "it. "
      "AlexNet and GoogLeNet have it where later networks have Batch Norm. Computed in f32 (f64 for f64), rounded "
      "once.");
  d.source("Krizhevsky et al. 2012 (AlexNet); PyTorch, `torch.nn.LocalResponseNorm`; ONNX, LRN");
  d.keywords("lrn alexnet googlenet normalisation normalization neighbours channels LRN LocalResponseNorm");
  d.autocast(Autocast::f32);
  d.integer("channels", 5).docs("How many channels are looked at.").range(1, 65536);
  d.real("alpha", 1e-4).docs("Factor of the mean of squares.").range(0, 1e6);
  d.real("beta", 0.75).docs("Exponent.").range(0, 16);
  d.real("k", 1).docs("Added to it.").above(0).at_most(1e6);
  d.input("x").dtype_group("T", running_floats()).with_axes("N C ..");
  d.output("y").dtype_group("T").with_axes("N C ..");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_CHECK(shapes::channels_of(a, "x"));
  return shapes::same_as(a, "x");
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  if (!b.status()) return {Val{}};
  const Dims dims = b[x].dims;
  const std::vector<std::string> axes = b[x].axes;
  const DType dtype = b[x].dtype, wide = dtype == DType::f64 ? dtype : DType::f32;
  const int64_t window = a.params().integer("channels"), inner = element_count({dims.begin() + 2, dims.end()});
  const auto number = [&](double value) { return b.constant(Tensor::from_f64(wide, {}, {{value}})); };
  const Val v = b.cast(x, wide);
  // Channels as rows of a picture.
  const Val squares = b.reshape(b.mul(v, v), {dims[0], 1, dims[1], inner});
  const PoolAttr pool{{window, 1}, {1, 1}, {window / 2, 0}, {(window - 1) / 2, 0}};
  const Val energy = b.reshape(b.emit(Op::avg_pool, {squares}, pool)[0], dims);
  const Val base = b.add(b.scale(energy, a.params().real("alpha")), number(a.params().real("k")));
  const Val y = b.div(v, b.binary(BinaryFn::pow, base, number(a.params().real("beta"))));
  if (!b.status()) return {Val{}};
  b.set_axes(y, axes);
  return {b.cast(y, dtype)};
}

static Examples examples() {
  return {
      {.name = "pictures",
       .inputs = {{"x", DType::f32, {2, 7, 3, 2}, {"N", "C", "H", "W"}}},
       .params = {{"alpha", 0.5}},
       .tolerance_factor = 3},
      {.name = "even",
       .inputs = {{"x", DType::f32, {3, 6}, {"N", "C"}}},
       .params = {{"channels", int64_t{4}}, {"alpha", 1.0}, {"beta", 0.5}, {"k", 2.0}},
       .tolerance_factor = 3},
  };
}

}  // namespace hw::nodes::local_response_norm

HW_NODE(local_response_norm)
