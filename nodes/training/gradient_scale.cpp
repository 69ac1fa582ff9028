// Gradient scale: forward nothing, backward a factor: case 1's hooks as a node one can see.
#include "engine/node/shapes.h"

namespace hw::nodes::gradient_scale {

static void declare(NodeDecl& d) {
  d.title("Gradient Scale")
      .category("Training")
      .summary("Multiplies the gradient that flows back, so that it does not underflow.");
  d.doc(
      "Forward: `y = x`. Backward: `dx = dy · factor`, stored in the dtype of `x` (of one number: in f32 at least). "
      "Everything before this node sees "
      "gradients `factor` times as large: in f16 those below 6e-8 would be 0. With `unscale`, parameters before it "
      "have the factor divided out again, in f32, before the optimiser sees them; without, they keep it (nvdiffrec: "
      "Adam hides it). Undo it further back with a second node of factor 1/`factor`.");
  d.source("nvdiffrec, `render/mlptexture.py` (gradient hooks, factor 128); Micikevicius et al. 2018 (loss scaling)");
  d.keywords("loss scaling hook underflow f16 mixed precision amp");
  d.real("factor", 128).docs("A power of two is exact.").above(0).at_most(0x1p24).logarithmic();
  d.boolean("unscale", true).docs("Divide the factor out of the gradients of parameters before it.");
  d.input("x").dtype_group("T", running_floats());
  d.output("y").dtype_group("T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  return shapes::same_as(a, "x");
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  return {b.gradient_scale(a.in("x"), a.params().real("factor"), a.params().boolean("unscale"))};
}

static Examples examples() {
  return {
      {.name = "scaled",
       .inputs = {{"x", DType::f32, {21, 3}, {"N", "C"}}},
       .no_gradient_because = "its gradient is scaled on purpose; the test gradient_scale_test checks the factor"},
      {.name = "by_one", .inputs = {{"x", DType::f32, {2, 3, 4}, {}}}, .params = {{"factor", 1.0}, {"unscale", false}}},
  };
}

}  // namespace hw::nodes::gradient_scale

HW_NODE(gradient_scale)
