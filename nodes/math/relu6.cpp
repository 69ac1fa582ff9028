// ReLU6: a ReLU that stops at 6.
#include "engine/node/shapes.h"

namespace hw::nodes::relu6 {

static void declare(NodeDecl& d) {
  d.title("ReLU6").category("Math").summary("A ReLU that stops at 6.");
  d.doc(
      "`y = min(max(x, 0), 6)`. Any shape; `y` has the shape and dtype of `x`. NaN stays NaN. Values that are narrow "
      "or "
      "whole numbers later lose little when they are bounded. At 0 and at 6 the gradient passes, as through Clip.");
  d.source("Krizhevsky 2010, Convolutional Deep Belief Networks on CIFAR-10; PyTorch, `torch.nn.ReLU6`");
  d.keywords("activation rectifier mobilenet hardtanh clip nonlinearity relu");
  d.input("x").dtype_group("T", running_floats());
  d.output("y").dtype_group("T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  return shapes::same_as(a, "x");
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  return {b.clamp(a.in("x"), 0, 6)};
}

static Examples examples() {
  return {
      {.name = "vector", .inputs = {{"x", DType::f32, {37}, {"N"}, -4, 10}}},
      {.name = "image", .inputs = {{"x", DType::f32, {2, 3, 4, 5}, {"N", "C", "H", "W"}, -4, 10}}},
  };
}

}  // namespace hw::nodes::relu6

HW_NODE(relu6)
