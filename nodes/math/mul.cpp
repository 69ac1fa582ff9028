// Multiply: a · b with NumPy broadcasting.
#include "engine/node/shapes.h"

namespace hw::nodes::mul {

static void declare(NodeDecl& d) {
  d.title("Multiply").category("Math").summary("Multiplies two tensors element by element, with broadcasting.");
  d.doc(
      "`y = a · b`\n\nShapes are aligned at the last axis; a size of 1 or a missing axis stretches. Both inputs have "
      "one dtype, and so has `y`: computed in f32 (f64 for f64) and rounded once.");
  d.source("NumPy, `numpy.multiply`; broadcasting as in NumPy");
  d.keywords("times product hadamard scale mask gate");
  d.input("a").dtype_group("T", running_floats());
  d.input("b").dtype_group("T", running_floats());
  d.output("y").dtype_group("T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  return shapes::broadcast(a, "a", "b");
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  return {b.mul(a.in("a"), a.in("b"))};
}

static Examples examples() {
  return {
      {.name = "same_shape", .inputs = {{"a", DType::f32, {9, 7}, {"N", "C"}}, {"b", DType::f32, {9, 7}, {"N", "C"}}}},
      {.name = "per_channel", .inputs = {{"a", DType::f32, {2, 5, 3}, {}}, {"b", DType::f32, {3}, {}}}},
      {.name = "outer", .inputs = {{"a", DType::f32, {4, 1}, {}}, {"b", DType::f32, {1, 6}, {}}}},
      {.name = "scalar", .inputs = {{"a", DType::f32, {}, {}}, {"b", DType::f32, {3, 2}, {}}}},
  };
}

}  // namespace hw::nodes::mul

HW_NODE(mul)
