// DropPath: stochastic depth, which leaves whole samples out of a residual branch while training.
#include "engine/node/shapes.h"

namespace hw::nodes::drop_path {

static void declare(NodeDecl& d) {
  d.title("DropPath").category("Layer").summary("Sets a random share of the samples to zero while training.");
  d.doc(
      "Training: `y[n] = x[n] / (1 - p)` where the sample's uniform number in [0, 1) is below `1 - p`, else 0 in all "
      "of "
      "it. Evaluation: `y = x`. [N, ..], one number for each of N. Before the addition of a residual block it leaves "
      "the block out, for this sample and step: stochastic depth. The numbers come from Philox4x32-10 with the run's "
      "seed as key and (sample, node, step) as counter: the same on every device and at any number of threads.");
  d.source("Huang et al. 2016, Deep Networks with Stochastic Depth; torchvision, `StochasticDepth`");
  d.keywords("stochastic depth residual regularisation regularization random skip StochasticDepth drop_path");
  d.real("p", 0.1).labelled("Drop share").docs("Probability of dropping a sample; 1: all are 0.").range(0, 1);
  d.random();
  d.input("x").dtype_group("T", running_floats()).with_axes("N ..");
  d.output("y").dtype_group("T").with_axes("N ..");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  if (a.shape("x").rank() == 0)
    return Error{codes::rank_mismatch, "x", "needs an axis of samples, got a scalar [].", "Reshape it to [1]."};
  return shapes::same_as(a, "x");
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  const double keep = 1 - a.params().real("p");
  if (!b.status() || !b.training()) return {x};
  Dims samples(b[x].dims.size(), 1);
  samples[0] = b[x].dims[0];
  const DType wide = b[x].dtype == DType::f64 ? DType::f64 : DType::f32;
  const Val drawn = b.random({.dims = samples, .dtype = wide});
  const auto number = [&](DType dtype, double value) { return b.constant(Tensor::from_f64(dtype, {}, {{value}})); };
  const Val kept = b.compare(CompareFn::less, drawn, number(wide, keep));
  return {b.where(kept, keep > 0 ? b.scale(x, 1 / keep) : x, number(b[x].dtype, 0))};
}

static Examples examples() {
  return {
      {.name = "half", .inputs = {{"x", DType::f32, {12, 7}, {"N", "C"}}}, .params = {{"p", 0.5}}},
      {.name = "pictures", .inputs = {{"x", DType::f32, {9, 2, 3, 3}, {"N", "C", "H", "W"}}}},
      {.name = "none", .inputs = {{"x", DType::f32, {11}, {}}}, .params = {{"p", 0.0}}},
      {.name = "all",
       .inputs = {{"x", DType::f32, {11}, {}}},
       .params = {{"p", 1.0}},
       .no_gradient_because = "all of it is dropped"},
  };
}

}  // namespace hw::nodes::drop_path

HW_NODE(drop_path)
