// ReLU: y = max(x, 0).
#include "engine/node/shapes.h"

namespace hw::nodes::relu {

static void declare(NodeDecl& d) {
  d.title("ReLU").category("Math").summary("Sets negative values to zero.");
  d.doc("`y = max(x, 0)`\n\nAny shape; `y` has the shape and dtype of `x`. The gradient at 0 is 0. NaN stays NaN.");
  d.source("Nair and Hinton 2010, Rectified Linear Units Improve Restricted Boltzmann Machines");
  d.keywords("activation rectifier nonlinearity");
  d.input("x").dtype_group("T", running_floats());
  d.output("y").dtype_group("T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  return shapes::same_as(a, "x");
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  return {b.relu(a.in("x"))};
}

static Examples examples() {
  return {
      {.name = "vector", .inputs = {{"x", DType::f32, {37}, {"N"}, -4, 4}}},
      {.name = "image", .inputs = {{"x", DType::f32, {2, 3, 4, 5}, {"N", "C", "H", "W"}, -2, 2}}},
      {.name = "scalar", .inputs = {{"x", DType::f32, {}, {}, 0.5, 1}}},
  };
}

}  // namespace hw::nodes::relu

HW_NODE(relu)
