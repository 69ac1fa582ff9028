// Huber loss: squared near the target, absolute far from it.
#include "engine/node/shapes.h"

namespace hw::nodes::huber {

static void declare(NodeDecl& d) {
  d.title("Huber").category("Loss").summary("Squared error near the target, absolute error far from it.");
  d.doc(
      "`loss = mean(e)` over all elements, a scalar `[]`, with d = prediction - target and `e = d² / 2` where "
      "|d| ≤ delta, else `delta · (|d| - delta / 2)`. Both inputs have the same shape and dtype; d and e are rounded "
      "to that dtype, the mean is summed in f32 (f64 for f64).");
  d.source("Huber 1964; PyTorch, `torch.nn.HuberLoss`");
  d.keywords("smooth l1 robust outlier regression loss objective HuberLoss SmoothL1Loss");
  d.autocast(Autocast::f32);
  d.real("delta", 1).docs("Where the squared part ends.").above(0);
  shapes::declare_loss_pair(d);
}

static Result<Shapes> shape(const ShapeArgs& a) {
  return shapes::loss_of_pair(a);
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val difference = b.sub(a.in("prediction"), a.in("target"));
  return {b.mean(b.unary(UnaryFn::huber, difference, a.params().real("delta")))};
}

static Examples examples() {
  return shapes::loss_pair_examples({{"delta", 0.3}});
}

}  // namespace hw::nodes::huber

HW_NODE(huber)
