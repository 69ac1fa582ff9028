// GELU: x times the normal distribution at x.
#include "engine/node/shapes.h"

namespace hw::nodes::gelu {

static void declare(NodeDecl& d) {
  d.title("GELU").category("Math").summary("Gaussian error linear unit: x times the normal distribution at x.");
  d.doc(
      "`y = x · Φ(x)`, with `Φ(x) = (1 + erf(x / √2)) / 2`. approximate `tanh`: "
      "`y = x / 2 · (1 + tanh(√(2/π) (x + 0.044715 x³)))`, which many published weights were trained with.\n\n"
      "Any shape; `y` has the shape and dtype of `x`. Computed in f32 (f64 for f64), rounded once.");
  d.source("Hendrycks and Gimpel 2016; PyTorch, `torch.nn.GELU`");
  d.keywords("activation gaussian normal transformer nonlinearity");
  d.choice("approximate", "none", {"none", "tanh"}).docs("The exact function, or its approximation by tanh.");
  d.input("x").dtype_group("T", running_floats());
  d.output("y").dtype_group("T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  return shapes::same_as(a, "x");
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const bool exact = a.params().text("approximate") == "none";
  return {b.unary(exact ? UnaryFn::gelu : UnaryFn::gelu_tanh, a.in("x"))};
}

static Examples examples() {
  return {
      {.name = "exact", .inputs = {{"x", DType::f32, {37}, {"N"}, -4, 4}}},
      {.name = "by_tanh",
       .inputs = {{"x", DType::f32, {2, 3, 4, 5}, {"N", "C", "H", "W"}, -4, 4}},
       .params = {{"approximate", std::string("tanh")}}},
      {.name = "scalar", .inputs = {{"x", DType::f32, {}, {}}}},
  };
}

}  // namespace hw::nodes::gelu

HW_NODE(gelu)
