// Expand: stretches axes of size 1.
#include "engine/node/shapes.h"

namespace hw::nodes::expand {

// The sizes asked for, −1 as 1: such an axis stays as it is.
static Result<Dims> asked(const Params& p) {
  HW_TRY(Dims dims, shapes::whole_numbers(p, "shape"));
  for (int64_t& size : dims) {
    if (size == 0 || size < -1)
      return Error{codes::bad_parameter, "shape",
                   "sizes must be at least 1, or -1, got " + to_string(ParamValue(p.vector("shape"))) + ".",
                   "-1 leaves an axis as it is."};
    if (size == -1) size = 1;
  }
  return dims;
}

static void declare(NodeDecl& d) {
  d.title("Expand").category("Shape").summary("Stretches axes of size 1 by repeating their element.");
  d.doc(
      "NumPy broadcasting of `x` to `shape`: shapes are aligned at the last axis, an axis of size 1 takes the size "
      "asked "
      "for, missing axes are put in front, and -1 or 1 leaves an axis as it is. Any dtype. The gradient is the sum "
      "over "
      "what was repeated. Add, Multiply and the like broadcast by themselves.");
  d.source("NumPy, `numpy.broadcast_to`; PyTorch, `torch.Tensor.expand`; ONNX, Expand");
  d.keywords("broadcast stretch repeat broadcast_to expand_as tile");
  d.vector("shape", {-1}).docs("Sizes of the result, outermost first; -1: as it is.").range(-1, 1 << 28);
  d.input("x").dtype_group("T");
  d.output("y").dtype_group("T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_TRY(const Dims sizes, asked(a.params()));
  const Shape& x = a.shape("x");
  Shape wanted;
  for (const int64_t size : sizes) wanted.push_back({"", size, ""});
  auto y = hw::broadcast(x, wanted);
  if (y) return Shapes{shapes::tensor(a.dtype("x"), std::move(*y))};
  Error error = y.error();
  error.where = "shape";
  return error;
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  if (!b.status()) return {Val{}};
  const auto sizes = asked(a.params());
  const auto to = sizes ? hw::broadcast(b[x].dims, *sizes) : sizes;
  if (!to) return b.fail(to.error()), Lowered{Val{}};
  return {b.broadcast_to(x, *to)};
}

static Examples examples() {
  return {
      {.name = "rows",
       .inputs = {{"x", DType::f32, {1, 3}, {"N", "C"}}},
       .params = {{"shape", std::vector<double>{5, -1}}},
       .tolerance_factor = 3},
      {.name = "more_axes",
       .inputs = {{"x", DType::f32, {3, 1}, {"C", "T"}}},
       .params = {{"shape", std::vector<double>{2, 3, 4}}}},
      {.name = "of_a_scalar", .inputs = {{"x", DType::f32, {}, {}}}, .params = {{"shape", std::vector<double>{2, 2}}}},
      {.name = "whole_numbers",
       .inputs = {{"x", DType::i64, {3, 1}, {}, -9, 9}},
       .params = {{"shape", std::vector<double>{2, 3, 4}}},
       .no_gradient_because = "whole numbers have no gradient"},
      {.name = "as_it_is", .inputs = {{"x", DType::f32, {4, 2}, {"N", "C"}}}},
  };
}

}  // namespace hw::nodes::expand

HW_NODE(expand)
