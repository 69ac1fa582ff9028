// Binary cross entropy on logits: yes or no, for each element.
#include "engine/node/shapes.h"

namespace hw::nodes::bce_with_logits {

static void declare(NodeDecl& d) {
  d.title("BCE with Logits").category("Loss").summary("Binary cross entropy of a sigmoid, from scores as they are.");
  d.doc(
      "`loss = mean(-target · ln σ(x) - (1 - target) · ln(1 - σ(x)))` over all elements, a scalar `[]`, with x the "
      "prediction (a score of any size, no Sigmoid before it) and the target in [0, 1]. Computed as "
      "`x - target · x + ln(1 + exp(-x))`, which neither overflows nor loses small losses. Both inputs have the same "
      "shape and dtype; every step is rounded to that dtype, the mean is summed in f32 (f64 for f64).");
  d.source("PyTorch, `torch.nn.BCEWithLogitsLoss`");
  d.keywords("binary cross entropy sigmoid classification mask loss objective BCEWithLogitsLoss");
  d.autocast(Autocast::f32);
  shapes::declare_loss_pair(d);
}

static Result<Shapes> shape(const ShapeArgs& a) {
  return shapes::loss_of_pair(a);
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("prediction");
  const Val linear = b.sub(x, b.mul(a.in("target"), x));
  return {b.mean(b.add(linear, b.unary(UnaryFn::softplus, b.unary(UnaryFn::neg, x), 1)))};
}

static Examples examples() {
  return shapes::loss_pair_examples();
}

}  // namespace hw::nodes::bce_with_logits

HW_NODE(bce_with_logits)
