// Square: x². A node as a file in nodes/ declares it; it stands here so that only the tests have it
// (add_node_test.cpp).
#include "engine/node/shapes.h"

namespace hw::nodes::square_test_node {

static void declare(NodeDecl& d) {
  d.title("Square").category("Math").summary("Squares every element.");
  d.doc("`y = x · x`, any shape; `y` has the shape and dtype of `x`.");
  d.source("NumPy, `numpy.square`");
  d.keywords("power");
  d.input("x").dtype_group("T", running_floats());
  d.output("y").dtype_group("T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  return shapes::same_as(a, "x");
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  return {b.mul(a.in("x"), a.in("x"))};
}

static Examples examples() {
  return {{.name = "matrix", .inputs = {{"x", DType::f32, {7, 5}, {"N", "C"}}}}};
}

}  // namespace hw::nodes::square_test_node

HW_NODE(square_test_node)
