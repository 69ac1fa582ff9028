// Softmax along an axis, or its logarithm.
#include "engine/node/shapes.h"

namespace hw::nodes::softmax {

static void declare(NodeDecl& d) {
  d.title("Softmax").category("Math").summary("Turns scores along an axis into shares that sum to 1.");
  d.doc(
      "`y = exp(x - m) / Σ exp(x - m)` along `axis`, m the largest of x there, so that nothing overflows. With log: "
      "`y = x - m - ln Σ exp(x - m)`, the logarithm of it, which stays exact where a share would round to 0.\n\n"
      "A row that holds NaN or +Inf, or nothing but -Inf, is NaN. Any shape; `y` has the shape and dtype of `x`. "
      "Computed in f32 (f64 for f64) for every storage dtype, rounded "
      "once. Cross Entropy takes scores as they are: it needs no Softmax before it.");
  d.source("PyTorch, `torch.softmax`, `torch.log_softmax`");
  d.keywords("probability classes logits normalise attention log");
  d.autocast(Autocast::f32);
  d.integer("axis", -1).docs("Counted from 0, or from the end when negative; -1 is the last.").range(-8, 7);
  d.boolean("log", false).docs("The logarithm of the shares.");
  d.input("x").dtype_group("T", running_floats());
  d.output("y").dtype_group("T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_CHECK(shapes::axis_of(a, "x"));
  return shapes::same_as(a, "x");
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  if (!b.status()) return {Val{}};
  const int axis = shapes::wrap_axis(a.params().integer("axis"), b[x].dims.size());
  return {a.params().boolean("log") ? b.log_softmax(x, axis) : b.softmax(x, axis)};
}

static Examples examples() {
  return {
      {.name = "classes", .inputs = {{"x", DType::f32, {12, 10}, {"N", "C"}, -4, 4}}},
      {.name = "log", .inputs = {{"x", DType::f32, {12, 10}, {"N", "C"}, -4, 4}}, .params = {{"log", true}}},
      {.name = "image",
       .inputs = {{"x", DType::f32, {2, 3, 4, 5}, {"N", "C", "H", "W"}, -4, 4}},
       .params = {{"axis", int64_t{1}}}},
      {.name = "first_axis", .inputs = {{"x", DType::f32, {7}, {}, -4, 4}}},
  };
}

}  // namespace hw::nodes::softmax

HW_NODE(softmax)
