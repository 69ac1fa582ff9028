// Sigmoid: y = 1 / (1 + exp(-x)).
#include "engine/node/shapes.h"

namespace hw::nodes::sigmoid {

static void declare(NodeDecl& d) {
  d.title("Sigmoid").category("Math").summary("Maps every value into (0, 1).");
  d.doc(
      "`y = 1 / (1 + exp(-x))`\n\nAny shape; `y` has the shape and dtype of `x`. Saturates: in f16, `y` is 1 from "
      "about x = 8 on, and its gradient 0.");
  d.source("PyTorch, `torch.sigmoid`");
  d.keywords("activation logistic nonlinearity");
  d.input("x").dtype_group("T", running_floats());
  d.output("y").dtype_group("T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  return shapes::same_as(a, "x");
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  return {b.sigmoid(a.in("x"))};
}

static Examples examples() {
  return {
      {.name = "vector", .inputs = {{"x", DType::f32, {37}, {"N"}, -4, 4}}},
      {.name = "image", .inputs = {{"x", DType::f32, {2, 3, 4, 5}, {"N", "C", "H", "W"}, -2, 2}}},
      {.name = "scalar", .inputs = {{"x", DType::f32, {}, {}}}},
  };
}

}  // namespace hw::nodes::sigmoid

HW_NODE(sigmoid)
