// Clip: limits every value to a range.
#include "engine/node/shapes.h"

namespace hw::nodes::clip {

static void declare(NodeDecl& d) {
  d.title("Clip").category("Math").summary("Limits every value to a range.");
  d.doc(
      "`y = min(max(x, min), max)`, with both bounds rounded to the dtype of `x`. NaN stays NaN. The gradient passes "
      "from min to max, both included, and is 0 outside.\n\nAny shape; `y` has the shape and dtype of `x`.");
  d.source("NumPy, `numpy.clip`; gradient as in PyTorch, `torch.clamp` (clamp_backward: min <= x <= max)");
  d.keywords("clamp limit saturate range bound");
  d.real("min", 0).docs("The smallest value that passes.");
  d.real("max", 1).docs("The largest value that passes; at least min.");
  d.input("x").dtype_group("T", running_floats());
  d.output("y").dtype_group("T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  const double lo = a.params().real("min"), hi = a.params().real("max");
  if (lo > hi)
    return Error{codes::bad_parameter, "max",
                 "must be at least min, " + to_string(ParamValue(lo)) + ", got " + to_string(ParamValue(hi)) + ".", ""};
  return shapes::same_as(a, "x");
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  return {b.clamp(a.in("x"), a.params().real("min"), a.params().real("max"))};
}

static Examples examples() {
  return {
      {.name = "unit", .inputs = {{"x", DType::f32, {9, 7}, {"N", "C"}, -1, 2}}},
      {.name = "symmetric", .inputs = {{"x", DType::f32, {40}, {}, -2, 2}}, .params = {{"min", -0.7}, {"max", 0.7}}},
      {.name = "scalar", .inputs = {{"x", DType::f32, {}, {}, 0.2, 0.8}}},
  };
}

}  // namespace hw::nodes::clip

HW_NODE(clip)
