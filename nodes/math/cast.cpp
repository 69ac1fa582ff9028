// Cast: the same values in another dtype, rounded once to nearest, ties to even.
#include "engine/node/shapes.h"

namespace hw::nodes::cast {

static void declare(NodeDecl& d) {
  d.title("Cast").category("Math").summary("Converts a tensor to another dtype.");
  d.doc(
      "`y = round(x)` to nearest, ties to even, in one step. Any shape. Values beyond the largest of `to` become "
      "infinite (f16: from 65520 on), values below half its smallest subnormal become 0. The gradient is cast back to "
      "the dtype of `x`: a cast to f32 of an f16 wire still stores that wire's gradient in f16.");
  d.source("PyTorch, `torch.Tensor.to`; IEEE 754 rounding");
  d.keywords("convert dtype precision half float to f16 f32 bf16");
  d.dtype("to", DType::f32, running_floats()).docs("dtype of the output.");
  d.input("x");
  d.output("y").dtype_of("to");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  return Shapes{shapes::tensor(a.params().dtype("to"), a.shape("x"))};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  return {b.cast(a.in("x"), a.params().dtype("to"))};
}

static Examples examples() {
  return {
      {.name = "from_f32", .inputs = {{"x", DType::f32, {33, 3}, {"N", "C"}, -100, 100}}},
      {.name = "from_f16", .inputs = {{"x", DType::f16, {33, 3}, {"N", "C"}, -1, 1}}},
      {.name = "from_bf16", .inputs = {{"x", DType::bf16, {17}, {"N"}, -1, 1}}},
      {.name = "from_f64", .inputs = {{"x", DType::f64, {2, 2, 5}, {}, -1e-4, 1e-4}}},
  };
}

}  // namespace hw::nodes::cast

HW_NODE(cast)
