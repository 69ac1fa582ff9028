// Log Softmax: the logarithm of a softmax along an axis.
#include "engine/node/shapes.h"

namespace hw::nodes::log_softmax {

static void declare(NodeDecl& d) {
  d.title("Log Softmax").category("Math").summary("The logarithms of the shares that a softmax makes of scores.");
  d.doc(
      "`y = x - m - ln Σ exp(x - m)` along `axis`, m the largest of x there. It stays exact where a share would round "
      "to 0. A row that holds NaN or +Inf, or nothing but -Inf, is NaN.\n\nAny shape; `y` has the shape and dtype of "
      "`x`. Computed in f32 (f64 for f64) for every storage dtype, "
      "rounded once. Cross Entropy takes scores as they are: it needs no Log Softmax before it.");
  d.source("PyTorch, `torch.nn.LogSoftmax`; ONNX, LogSoftmax");
  d.keywords("logarithm probability classes logits likelihood LogSoftmax log_softmax");
  d.autocast(Autocast::f32);
  d.integer("axis", -1).docs("Counted from 0, or from the end when negative; -1 is the last.").range(-8, 7);
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
  return {b.log_softmax(x, shapes::wrap_axis(a.params().integer("axis"), b[x].dims.size()))};
}

static Examples examples() {
  return {
      {.name = "classes", .inputs = {{"x", DType::f32, {12, 10}, {"N", "C"}, -4, 4}}},
      {.name = "image",
       .inputs = {{"x", DType::f32, {2, 3, 4, 5}, {"N", "C", "H", "W"}, -4, 4}},
       .params = {{"axis", int64_t{1}}}},
  };
}

}  // namespace hw::nodes::log_softmax

HW_NODE(log_softmax)
