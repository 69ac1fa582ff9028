// Stop Gradient: forward nothing, backward a wall.
#include "engine/node/shapes.h"

namespace hw::nodes::stop_gradient {

static void declare(NodeDecl& d) {
  d.title("Stop Gradient").category("Training").summary("Lets values pass, but no gradient back.");
  d.doc(
      "`y = x`. What lies before this node is not trained by what lies behind it: for fixed targets, and for factors "
      "that a loss must treat as constants. Any shape; `y` has the shape and dtype of `x`.");
  d.source("PyTorch, `torch.Tensor.detach`");
  d.keywords("detach freeze constant block");
  d.input("x").dtype_group("T", running_floats());
  d.output("y").dtype_group("T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  return shapes::same_as(a, "x");
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  return {b.stop_gradient(a.in("x"))};
}

static Examples examples() {
  return {{.name = "matrix",
           .inputs = {{"x", DType::f32, {9, 7}, {"N", "C"}}},
           .no_gradient_because = "it stops the gradient"}};
}

}  // namespace hw::nodes::stop_gradient

HW_NODE(stop_gradient)
