// Variance and standard deviation over axes.
#include "engine/node/reduce_nodes.h"
#include "engine/program/random_ops.h"

namespace hw::nodes::variance {

static void declare(NodeDecl& d) {
  d.title("Variance").category("Math").summary("The variance of all elements, or along axes, or its root.");
  d.doc(
      "`y = Σ (x - mean)² / (n - correction)`, n how many elements there are: 1, as PyTorch has it, is unbiased, 0, as "
      "NumPy has it, that of the elements themselves. With `deviation` its root, the standard deviation, whose "
      "gradient "
      "is not finite where all elements are equal. Any shape; without axes the result is a scalar `[]`, else `x` "
      "without "
      "these axes. With keep they stay, with size 1. Computed in f32 (f64 for f64), rounded once. In training the "
      "variance of all elements, or over the axis N, is that of the whole step, of all its micro-batches.");
  d.source("NumPy, `numpy.var`, `numpy.std`; PyTorch, `torch.var`, `torch.std`");
  d.keywords("var std standard deviation spread moments statistics reduce");
  d.autocast(Autocast::f32);
  d.vector("axes", {}).docs("Axes to reduce, from 0, or from the end when negative; empty: all.").range(-8, 7);
  d.boolean("keep", false).docs("Leave the reduced axes in the shape, with size 1.");
  d.integer("correction", 1).docs("Taken off the number of elements.").range(0, 1);
  d.boolean("deviation", false).docs("The standard deviation: the root of it.");
  d.input("x").dtype_group("T", running_floats());
  d.output("y").dtype_group("T");
}

static int64_t count_of(const Dims& dims, const std::vector<int>& axes) {
  if (axes.empty()) return element_count(dims);
  Dims reduced;
  for (const int axis : axes) reduced.push_back(dims[static_cast<size_t>(axis)]);
  return element_count(reduced);
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_TRY(Shapes y, reduced_shape(a));
  HW_TRY(const std::vector<int> axes, shapes::axes_of(a, "x"));
  const int64_t count = count_of(a.shape("x").dims(), axes), correction = a.params().integer("correction");
  if (count >= 0 && count <= correction)
    return Error{codes::size_mismatch, "x",
                 "there must be more than " + std::to_string(correction) + " elements to reduce, got " +
                     to_string(a.shape("x")) + ".",
                 "Set correction to 0."};
  return y;
}

// Variance over all samples of a step, where this part has some of them: mean (v - c)² - (mean (v - c))², c the mean.
// The second term is 0, and makes the gradient by each part's v that of the whole.
static Val of_whole_step(OpBuilder& b, Val v, const std::vector<int>& axes, bool keep) {
  const Val off = b.sub(v, b.stop_gradient(b.batch_mean(b.mean(v, axes, true))));
  const Val mean = b.batch_mean(b.mean(off, axes, keep));
  return b.sub(b.batch_mean(b.mean(b.mul(off, off), axes, keep)), b.mul(mean, mean));
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  if (!b.status()) return {Val{}};
  const DType dtype = b[x].dtype;
  const std::vector<int> axes = shapes::wrap_axes(a.params().vector("axes"), b[x].dims.size());
  const bool keep = a.params().boolean("keep");
  const bool in_parts = b.share() < 1 && reduces_samples(b, x, axes) && drawn_values(b.program())[x.id];
  const double count = static_cast<double>(count_of(b[x].dims, axes)) / (in_parts ? b.share() : 1);
  const Val v = b.cast(x, dtype == DType::f64 ? dtype : DType::f32);
  Val y;
  if (in_parts) {
    y = of_whole_step(b, v, axes, keep);
  } else {
    const Val off = b.sub(v, b.mean(v, axes, true));
    y = b.mean(b.mul(off, off), axes, keep);
  }
  if (a.params().integer("correction") == 1) y = b.scale(y, count / (count - 1));
  if (a.params().boolean("deviation")) y = b.unary(UnaryFn::sqrt, y);
  return {b.status() ? b.cast(y, dtype) : y};
}

static Examples examples() {
  using Axes = std::vector<double>;
  return {
      {.name = "all", .inputs = {{"x", DType::f32, {31, 5}, {"N", "C"}}}, .tolerance_factor = 2},
      {.name = "channels",
       .inputs = {{"x", DType::f32, {9, 5}, {"N", "C"}}},
       .params = {{"axes", Axes{-1}}, {"correction", int64_t{0}}},
       .tolerance_factor = 2},
      {.name = "deviation",
       .inputs = {{"x", DType::f32, {2, 3, 4, 5}, {"N", "C", "H", "W"}}},
       .params = {{"axes", Axes{0, 2, 3}}, {"keep", true}, {"deviation", true}},
       .tolerance_factor = 2},
  };
}

}  // namespace hw::nodes::variance

HW_NODE(variance)
