// Dice loss: how little two masks overlap.
#include "engine/node/shapes.h"

namespace hw::nodes::dice_loss {

static void declare(NodeDecl& d) {
  d.title("Dice Loss").category("Loss").summary("How little a predicted mask and the right one overlap.");
  d.doc(
      "`loss = 1 - mean((2 Σ p t + smooth) / (Σ p + Σ t + smooth))`, a scalar `[]`. prediction p and target t: "
      "[N, C, ..], shares in [0, 1] (after a Sigmoid, or a Softmax over C; a target of classes is one-hot). Sums go "
      "over "
      "all axes but N and C, with `batch` over N too; the mean goes over what is left. With `squared` the lower sums "
      "are "
      "of squares. Computed in f32 (f64 for f64), rounded once.");
  d.source("Milletari et al. 2016, V-Net; MONAI, `DiceLoss`");
  d.keywords("segmentation overlap mask iou f1 sorensen medical objective DiceLoss");
  d.autocast(Autocast::f32);
  d.real("smooth", 1).docs("Added above and below: an empty mask that is predicted empty is right.").range(0, 1e6);
  d.boolean("squared", false).docs("Squares in the lower sums, as V-Net has it.");
  d.boolean("batch", false).docs("Take all samples as one large mask, those of all micro-batches of a step.");
  shapes::declare_loss_pair(d);
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_TRY(Shapes loss, shapes::loss_of_pair(a));
  if (a.shape("prediction").rank() < 3)
    return Error{codes::rank_mismatch, "prediction",
                 "needs the axes N, C and at least one more, got " + to_string(a.shape("prediction")) + ".",
                 "Unsqueeze puts in an axis of size 1."};
  return loss;
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  if (!b.status()) return {Val{}};
  const DType dtype = b[a.in("prediction")].dtype, wide = dtype == DType::f64 ? dtype : DType::f32;
  const Val p = b.cast(a.in("prediction"), wide), t = b.cast(a.in("target"), wide);
  std::vector<int> axes;
  for (int d = 0; b.status() && d < static_cast<int>(b[p].dims.size()); ++d)
    if (d > 1 || (d == 0 && a.params().boolean("batch"))) axes.push_back(d);
  const auto square = [&](Val x) { return a.params().boolean("squared") ? b.mul(x, x) : x; };
  if (!b.status()) return {Val{}};
  const auto number = [&](double value) { return b.constant(Tensor::from_f64(wide, {}, {{value}})); };
  const Val smooth = number(a.params().real("smooth"));
  const auto sum = [&](Val x) { return a.params().boolean("batch") ? b.batch_sum(b.sum(x, axes)) : b.sum(x, axes); };
  const Val both = b.add(b.scale(sum(b.mul(p, t)), 2), smooth);
  const Val all = b.add(b.add(sum(square(p)), sum(square(t))), smooth);
  return {b.cast(b.sub(number(1), b.mean(b.div(both, all))), dtype)};
}

static Examples examples() {
  const auto pair = [](std::string name, ParamMap params) {
    const std::vector<std::string> axes{"N", "C", "H", "W"};
    return Example{.name = std::move(name),
                   .inputs = {{"prediction", DType::f32, {3, 2, 4, 5}, axes, 0, 1},
                              {"target", DType::f32, {3, 2, 4, 5}, axes, 0, 1}},
                   .params = std::move(params),
                   .tolerance_factor = 2};
  };
  return {pair("masks", {}), pair("squared", {{"squared", true}, {"smooth", 0.0}}), pair("batch", {{"batch", true}})};
}

}  // namespace hw::nodes::dice_loss

HW_NODE(dice_loss)
