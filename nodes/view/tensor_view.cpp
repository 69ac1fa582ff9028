// Tensor view: shows what a wire carries. Lowers to nothing: the session hands out the wire's tensor.
#include "engine/node/node_type.h"

namespace hw::nodes::tensor_view {

static void declare(NodeDecl& d) {
  d.title("Tensor View").category("View").summary("Shows the numbers on a wire: statistics, histogram, picture.");
  d.doc(
      "Takes a tensor of any shape and dtype. What is shown is the wire's tensor of the last step, as it was stored.");
  d.source("TensorBoard, histogram and image views");
  d.keywords("inspect print histogram image show debug probe preview");
  d.role(Role::view);
  d.input("x");
}

static Result<Shapes> shape(const ShapeArgs&) {
  return Shapes{};
}

static Lowered lower(OpBuilder&, const LowerArgs&) {
  return {};
}

static Examples examples() {
  const std::string why = "it has no outputs";
  return {
      {.name = "matrix", .inputs = {{"x", DType::f16, {4, 3}, {"N", "C"}}}, .no_gradient_because = why},
      {.name = "scalar", .inputs = {{"x", DType::f64, {}, {}}}, .no_gradient_because = why},
  };
}

}  // namespace hw::nodes::tensor_view

HW_NODE(tensor_view)
