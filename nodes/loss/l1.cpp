// Mean absolute error.
#include "engine/node/shapes.h"

namespace hw::nodes::l1 {

static void declare(NodeDecl& d) {
  d.title("L1").category("Loss").summary("Mean absolute error between a prediction and a target.");
  d.doc(
      "`loss = mean(|prediction - target|)` over all elements, a scalar `[]`. Both inputs have the same shape and "
      "dtype; the difference is rounded to that dtype, the mean is summed in f32 (f64 for f64). Less moved by "
      "outliers than MSE; the gradient is 0 where both are equal.");
  d.source("PyTorch, `torch.nn.L1Loss`");
  d.keywords("mae absolute error regression loss objective L1Loss MeanAbsoluteError");
  d.autocast(Autocast::f32);
  shapes::declare_loss_pair(d);
}

static Result<Shapes> shape(const ShapeArgs& a) {
  return shapes::loss_of_pair(a);
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  return {b.mean(b.unary(UnaryFn::abs, b.sub(a.in("prediction"), a.in("target"))))};
}

static Examples examples() {
  return shapes::loss_pair_examples();
}

}  // namespace hw::nodes::l1

HW_NODE(l1)
