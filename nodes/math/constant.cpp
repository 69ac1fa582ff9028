// Constant: a tensor filled with one number.
#include "engine/node/shapes.h"

namespace hw::nodes::constant {

static void declare(NodeDecl& d) {
  d.title("Constant").category("Math").summary("A tensor filled with one number.");
  d.doc(
      "`y[..] = value`, rounded once to the dtype. An empty shape makes a scalar, which broadcasts against anything "
      "in Add, Subtract and Multiply.");
  d.source("PyTorch, `torch.full`");
  d.keywords("number fill full value scalar");
  d.real("value", 1).docs("Every element; beyond the range of the dtype it becomes infinite.");
  d.vector("shape", {}).docs("Sizes, outermost first; empty: a scalar.").range(1, 1 << 28);
  d.dtype("dtype", DType::f32, running_floats()).labelled("dtype").docs("Storage dtype of the output.");
  d.output("y").dtype_of("dtype");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_TRY(const Dims dims, shapes::sizes_of(a.params(), "shape"));
  Shape shape;
  for (const int64_t size : dims) shape.push_back({"", size, ""});
  return Shapes{shapes::tensor(a.params().dtype("dtype"), shape)};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const auto dims = shapes::sizes_of(a.params(), "shape");
  if (!dims) {
    b.fail(dims.error());
    return {Val{}};
  }
  // One number: however large the shape is, nothing is taken before a run has looked for room.
  const Val one = b.constant(Tensor::from_f64(a.params().dtype("dtype"), {}, {{a.params().real("value")}}));
  return {dims->empty() ? one : b.broadcast_to(one, *dims)};
}

static Examples examples() {
  const std::string why = "it has no inputs and no weights";
  return {
      {.name = "scalar", .params = {{"value", 0.1}}, .no_gradient_because = why},
      {.name = "matrix", .params = {{"value", -2.5}, {"shape", std::vector<double>{3, 4}}}, .no_gradient_because = why},
  };
}

}  // namespace hw::nodes::constant

HW_NODE(constant)
