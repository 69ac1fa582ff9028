// Cross entropy between scores of classes and the number of the right class.
#include "engine/node/shapes.h"
#include "engine/program/index_ops.h"

namespace hw::nodes::cross_entropy {

static void declare(NodeDecl& d) {
  d.title("Cross Entropy").category("Loss").summary("How surprised scores of classes are by the right class.");
  d.doc(
      "`loss = mean(-ln softmax(logits)[label])`, a scalar `[]`. logits: [N, C, ..], a float for each of C classes, "
      "scores as they are (no Softmax before it); labels: whole numbers 0 to C-1, i64, with the sizes of the logits "
      "without their axis 1: [N, ..]. A label outside makes the loss NaN. `label_smoothing` ε takes a share ε from the "
      "right class and spreads it over all C: `(1 - ε)` of the loss above and ε of the mean of `-ln softmax(logits)` "
      "over all classes. With `ignores` samples whose label is `ignore_index` do not count, nor in the mean: padding "
      "of "
      "texts, or pixels without a class. Micro-batches and ranks divide by the count of the whole step, so that they "
      "give what one batch gives.\n\nThe logarithm of the softmax is computed "
      "in "
      "f32 (f64 for f64) and rounded to the dtype of the logits, the mean is summed in f32 (f64). For f16 logits "
      "cast to f32 first, as PyTorch's autocast does.");
  d.source("PyTorch, `torch.nn.CrossEntropyLoss`; Szegedy et al. 2016 (label smoothing)");
  d.keywords(
      "classification nll log likelihood softmax classes label smoothing loss objective CrossEntropyLoss NLLLoss "
      "CategoricalCrossentropy SoftmaxCrossEntropyLoss");
  d.autocast(Autocast::f32);
  d.real("label_smoothing", 0).docs("Share of the right class that is spread over all classes.").range(0, 1);
  d.boolean("ignores", false).docs("Leave out samples with a certain label.");
  d.integer("ignore_index", -100).docs("The label of those that are left out.").range(-65536, 1 << 24).only_where =
      ParamIs{"ignores", true};
  d.input("logits").docs("Scores of the classes, [N, C, ..].").with_axes("N C").dtype_group("T", running_floats());
  d.input("labels").docs("The right classes, [N, ..].").with_axes("N").dtypes({DType::i64});
  d.output("loss").dtype_group("T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_CHECK(shapes::labels_of_logits(a));
  return Shapes{shapes::tensor(a.dtype("logits"), Shape{})};
}

// The mean over samples whose label counts, in f32 (f64).
static Val mean_of_kept(OpBuilder& b, const LowerArgs& a, Val logarithms, Val each) {
  if (!b.status()) return {};
  const DType dtype = b[each].dtype, wide = dtype == DType::f64 ? dtype : DType::f32;
  const double spread = a.params().real("label_smoothing");
  const auto ignored = static_cast<double>(a.params().integer("ignore_index"));
  const Val kept =
      b.compare(CompareFn::not_equal, a.in("labels"), b.constant(Tensor::from_f64(DType::i64, {}, {{ignored}})));
  Val loss = b.scale(b.cast(each, wide), spread - 1);
  if (spread > 0) loss = b.add(loss, b.scale(b.mean(b.cast(logarithms, wide), {1}), -spread));
  const Val total = b.sum(b.where(kept, loss, b.constant(Tensor::zeros(wide, {}))), {});
  return b.cast(b.div(total, b.scale(b.batch_sum(b.sum(b.cast(kept, wide), {})), b.share())), dtype);
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const double spread = a.params().real("label_smoothing");
  const Val logarithms = b.log_softmax(a.in("logits"), 1);
  if (b.status() && !a.params().boolean("ignores"))
    index_ops::refuse_beyond(b, a.in("labels"), b[logarithms].dims[1], "labels", "logits a sample");
  const Val each = b.gather_elements(logarithms, a.in("labels"), 1);
  if (a.params().boolean("ignores")) return {mean_of_kept(b, a, logarithms, each)};
  const Val right = b.mean(each);
  if (spread == 0) return {b.unary(UnaryFn::neg, right)};
  return {b.add(b.scale(right, spread - 1), b.scale(b.mean(logarithms), -spread))};
}

static Examples examples() {
  return {
      {.name = "digits",
       .inputs = {{"logits", DType::f32, {24, 10}, {"N", "C"}, -4, 4}, {"labels", DType::i64, {24}, {"N"}, 0, 10}}},
      {.name = "image",
       .inputs = {{"logits", DType::f32, {2, 3, 4, 5}, {"N", "C", "H", "W"}, -4, 4},
                  {"labels", DType::i64, {2, 4, 5}, {"N", "H", "W"}, 0, 3}}},
      {.name = "smoothed",
       .inputs = {{"logits", DType::f32, {9, 4}, {"N", "C"}, -4, 4}, {"labels", DType::i64, {9}, {"N"}, 0, 4}},
       .params = {{"label_smoothing", 0.1}},
       .tolerance_factor = 2},
      {.name = "ignoring",
       .inputs = {{"logits", DType::f32, {6, 4, 3}, {}, -4, 4}, {"labels", DType::i64, {6, 3}, {}, 0, 4}},
       .params = {{"label_smoothing", 0.1}, {"ignores", true}, {"ignore_index", int64_t{2}}},
       .tolerance_factor = 2},
      {.name = "two_classes", .inputs = {{"logits", DType::f32, {5, 2}, {}}, {"labels", DType::i64, {5}, {}, 0, 2}}},
  };
}

}  // namespace hw::nodes::cross_entropy

HW_NODE(cross_entropy)
