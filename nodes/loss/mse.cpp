// Mean squared error.
#include "engine/node/shapes.h"

namespace hw::nodes::mse {

static void declare(NodeDecl& d) {
  d.title("MSE").category("Loss").summary("Mean squared error between a prediction and a target.");
  d.doc(
      "`loss = mean((prediction - target)²)` over all elements, a scalar `[]`. Both inputs have the same shape and "
      "dtype; difference and square are rounded to that dtype, the mean is summed in f32 (f64 for f64). In f16 the "
      "gradient `2 (prediction - target) / count` underflows for large batches: cast to f32 first, or scale the "
      "gradient.");
  d.source("PyTorch, `torch.nn.MSELoss`");
  d.keywords("loss l2 squared error regression objective MSELoss MeanSquaredError");
  d.autocast(Autocast::f32);
  shapes::declare_loss_pair(d);
}

static Result<Shapes> shape(const ShapeArgs& a) {
  return shapes::loss_of_pair(a);
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val difference = b.sub(a.in("prediction"), a.in("target"));
  return {b.mean(b.mul(difference, difference))};
}

static Examples examples() {
  return shapes::loss_pair_examples();
}

}  // namespace hw::nodes::mse

HW_NODE(mse)
