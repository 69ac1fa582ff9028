// Focal loss on logits: yes or no, for each element.
#include "engine/node/shapes.h"

namespace hw::nodes::sigmoid_focal_loss {

static void declare(NodeDecl& d) {
  d.title("Sigmoid Focal Loss")
      .category("Loss")
      .summary("Binary cross entropy on scores, in which elements that are already right count less.");
  d.doc(
      "`loss = mean(w · (1 - q)^gamma · bce)` over all elements, a scalar `[]`. x the prediction, a score of any size; "
      "t "
      "the target in [0, 1]; p = σ(x); bce = `x - t · x + ln(1 + exp(-x))`; q = p · t + (1 - p) · (1 - t), the share "
      "given to what is right; w = alpha · t + (1 - alpha) · (1 - t), or 1 where `alpha` is negative. Both inputs have "
      "the same shape and dtype; every step is rounded to that dtype, the mean is summed in f32 (f64 for f64).");
  d.source("Lin et al. 2017, Focal Loss for Dense Object Detection; torchvision, `sigmoid_focal_loss`");
  d.keywords("binary detection imbalance retinanet hard examples mask objective BinaryFocalCrossentropy");
  d.autocast(Autocast::f32);
  d.real("alpha", 0.25).docs("Weight of yes, 1 - alpha that of no; -1: both have 1.").range(-1, 1);
  d.real("gamma", 2).docs("How strongly what is easy is played down.").range(0, 16);
  shapes::declare_loss_pair(d);
}

static Result<Shapes> shape(const ShapeArgs& a) {
  return shapes::loss_of_pair(a);
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("prediction"), t = a.in("target");
  if (!b.status()) return {Val{}};
  const auto number = [&](double value) { return b.constant(Tensor::from_f64(b[x].dtype, {}, {{value}})); };
  const Val entropy = b.add(b.sub(x, b.mul(t, x)), b.unary(UnaryFn::softplus, b.unary(UnaryFn::neg, x), 1));
  const Val p = b.sigmoid(x);
  // 1 - q = p + t - 2 p t
  const Val miss = b.sub(b.add(p, t), b.scale(b.mul(p, t), 2));
  Val loss = b.mul(b.binary(BinaryFn::pow, miss, number(a.params().real("gamma"))), entropy);
  if (const double alpha = a.params().real("alpha"); alpha >= 0)
    loss = b.mul(b.add(b.scale(t, 2 * alpha - 1), number(1 - alpha)), loss);
  return {b.mean(loss)};
}

static Examples examples() {
  const auto pair = [](std::string name, Dims dims, ParamMap params) {
    return Example{.name = std::move(name),
                   .inputs = {{"prediction", DType::f32, dims, {}, -3, 3}, {"target", DType::f32, dims, {}, 0.1, 0.9}},
                   .params = std::move(params),
                   .tolerance_factor = 2};
  };
  return {pair("rows", {5, 3}, {}), pair("no_alpha", {2, 3, 4, 4}, {{"alpha", -1.0}, {"gamma", 1.5}}),
          pair("cross_entropy", {9}, {{"alpha", 0.5}, {"gamma", 0.0}})};
}

}  // namespace hw::nodes::sigmoid_focal_loss

HW_NODE(sigmoid_focal_loss)
