// Power: x to an exponent, given as a number or wired.
#include "engine/node/shapes.h"

namespace hw::nodes::pow {

static void declare(NodeDecl& d) {
  d.title("Power").category("Math").summary("Raises every value to a power, with broadcasting.");
  d.doc(
      "`y = base ^ exponent`. The exponent is the parameter, or the wire where one is linked; shapes broadcast as in "
      "Multiply. NaN where the base is negative and the exponent no whole number; `x^0` is 1.\n\n"
      "Both inputs have one dtype, and so has `y`: computed in f32 (f64 for f64) and rounded once. The gradient by "
      "the exponent, `y · ln(base)`, is NaN for a negative base.");
  d.source("NumPy, `numpy.power`; gradient as in PyTorch, `torch.pow`");
  d.keywords("power exponent square cube root gamma");
  d.autocast(Autocast::f32);
  d.real("exponent", 2).docs("Used while the input of that name is not linked.");
  d.input("base").dtype_group("T", running_floats());
  d.input("exponent")
      .docs("Optional: takes the place of the parameter.")
      .dtype_group("T", running_floats())
      .may_be_open();
  d.output("y").dtype_group("T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  return a.in("exponent") ? shapes::broadcast(a, "base", "exponent") : shapes::same_as(a, "base");
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  if (!b.status()) return {Val{}};
  const Val base = a.in("base");
  const double number[] = {a.params().real("exponent")};
  const Val exponent = a.has("exponent") ? a.in("exponent") : b.constant(Tensor::from_f64(b[base].dtype, {}, number));
  return {b.binary(BinaryFn::pow, base, exponent)};
}

static Examples examples() {
  return {
      {.name = "square", .inputs = {{"base", DType::f32, {9, 7}, {"N", "C"}}}},
      {.name = "gamma", .inputs = {{"base", DType::f32, {9, 3}, {"N", "C"}, 0.1, 1}}, .params = {{"exponent", 0.4545}}},
      {.name = "wired", .inputs = {{"base", DType::f32, {4, 1}, {}, 0.5, 2}, {"exponent", DType::f32, {6}, {}, -2, 3}}},
  };
}

}  // namespace hw::nodes::pow

HW_NODE(pow)
