// Focal loss of classes: a cross entropy that looks away from what is easy.
#include "engine/node/shapes.h"
#include "engine/program/index_ops.h"

namespace hw::nodes::focal_loss {

static void declare(NodeDecl& d) {
  d.title("Focal Loss").category("Loss").summary("A cross entropy in which samples that are already right count less.");
  d.doc(
      "`loss = mean(-(1 - p)^gamma · ln p)`, p = softmax(logits)[label], a scalar `[]`. logits: [N, C, ..], scores as "
      "they are; labels: whole numbers 0 to C-1, i64, with the sizes of the logits without their axis 1. `gamma` 0 is "
      "Cross Entropy; 2 is usual. A label outside makes the loss NaN. Sigmoid Focal Loss is the one for yes or no.\n\n"
      "The logarithm of the softmax is computed in f32 (f64 for f64) and rounded to the dtype of the logits, as is "
      "every "
      "later step; the mean is summed in f32 (f64).");
  d.source("Lin et al. 2017, Focal Loss for Dense Object Detection");
  d.keywords(
      "classification imbalance hard examples detection cross entropy objective FocalLoss "
      "CategoricalFocalCrossentropy");
  d.autocast(Autocast::f32);
  d.real("gamma", 2).docs("How strongly what is easy is played down.").range(0, 16);
  d.input("logits").docs("Scores of the classes, [N, C, ..].").with_axes("N C").dtype_group("T", running_floats());
  d.input("labels").docs("The right classes, [N, ..].").with_axes("N").dtypes({DType::i64});
  d.output("loss").dtype_group("T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_CHECK(shapes::labels_of_logits(a));
  return Shapes{shapes::tensor(a.dtype("logits"), Shape{})};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  if (b.status()) index_ops::refuse_beyond(b, a.in("labels"), b[a.in("logits")].dims[1], "labels", "logits a sample");
  const Val likelihood = b.gather_elements(b.log_softmax(a.in("logits"), 1), a.in("labels"), 1);
  if (!b.status()) return {Val{}};
  const auto number = [&](double value) { return b.constant(Tensor::from_f64(b[likelihood].dtype, {}, {{value}})); };
  const Val miss = b.sub(number(1), b.unary(UnaryFn::exp, likelihood));
  const Val weight = b.binary(BinaryFn::pow, miss, number(a.params().real("gamma")));
  return {b.unary(UnaryFn::neg, b.mean(b.mul(weight, likelihood)))};
}

static Examples examples() {
  return {
      {.name = "digits",
       .inputs = {{"logits", DType::f32, {24, 10}, {"N", "C"}, -4, 4}, {"labels", DType::i64, {24}, {"N"}, 0, 10}},
       .tolerance_factor = 2},
      {.name = "image",
       .inputs = {{"logits", DType::f32, {2, 3, 4, 5}, {"N", "C", "H", "W"}, -4, 4},
                  {"labels", DType::i64, {2, 4, 5}, {"N", "H", "W"}, 0, 3}},
       .params = {{"gamma", 0.5}},
       .tolerance_factor = 2},
      {.name = "cross_entropy",
       .inputs = {{"logits", DType::f32, {5, 2}, {}}, {"labels", DType::i64, {5}, {}, 0, 2}},
       .params = {{"gamma", 0.0}}},
  };
}

}  // namespace hw::nodes::focal_loss

HW_NODE(focal_loss)
