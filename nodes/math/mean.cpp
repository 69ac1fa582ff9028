// Mean over all elements.
#include "engine/node/shapes.h"

namespace hw::nodes::mean {

static void declare(NodeDecl& d) {
  d.title("Mean").category("Math").summary("The mean of all elements, as a scalar.");
  d.doc(
      "`y = sum(x) / count(x)`\n\nAny shape to a scalar `[]`. Summed in f32 (f64 for f64) in fixed-size chunks, so "
      "the result does not depend on the number of threads; rounded once to the dtype of `x`.");
  d.source("PyTorch, `torch.mean`");
  d.keywords("average reduce loss");
  d.input("x").dtype_group("T", running_floats());
  d.output("y").dtype_group("T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  return Shapes{shapes::tensor(a.dtype("x"), Shape{})};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  return {b.mean(a.in("x"))};
}

static Examples examples() {
  return {
      {.name = "matrix", .inputs = {{"x", DType::f32, {31, 5}, {"N", "C"}}}},
      {.name = "positive", .inputs = {{"x", DType::f32, {2, 3, 50}, {}, 0, 4}}},
      {.name = "scalar", .inputs = {{"x", DType::f32, {}, {}}}},
  };
}

}  // namespace hw::nodes::mean

HW_NODE(mean)
