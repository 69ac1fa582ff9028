// Confusion Matrix: how often each class is taken for each other one.
#include "engine/node/shapes.h"
#include "engine/program/index_ops.h"

namespace hw::nodes::confusion_matrix {

static void declare(NodeDecl& d) {
  d.title("Confusion Matrix").category("Loss").summary("Counts how often each class is taken for each other one.");
  d.doc(
      "`matrix` [C, C], f32: in row i and column j the share of the samples that are of class i and whose largest "
      "score "
      "is that of class j; all shares add up to 1. logits: [N, C, ..], a score for each of C classes; labels: whole "
      "numbers 0 to C-1, i64, [N, ..]. Of equal scores the first class counts; a label outside counts nowhere, nor do "
      "scores "
      "with a NaN among them: the shares then add up to less than 1. Training measures it over a whole split, as it "
      "measures Accuracy; the view \"Evaluation\" shows it with the precision, "
      "the "
      "recall and the F1 score of each class. For watching only: no gradient passes.");
  d.source("scikit-learn, `confusion_matrix`, `classification_report`");
  d.metric(MetricReduction::mean);
  d.keywords("classification metric per class table precision recall f1 report errors evaluation");
  d.input("logits").docs("Scores of the classes, [N, C, ..].").with_axes("N C").dtype_group("T", running_floats());
  d.input("labels").docs("The right classes, [N, ..].").with_axes("N").dtypes({DType::i64});
  d.output("matrix").docs("Rows: the right class; columns: the predicted one.").dtypes({DType::f32});
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_CHECK(shapes::labels_of_logits(a));
  const Axis& classes = a.shape("logits")[1];
  return Shapes{shapes::tensor(DType::f32, {{"", classes.size, classes.symbol}, {"", classes.size, classes.symbol}})};
}

// A row for each class, with a one where the index names it.
static Val one_hot_rows(OpBuilder& b, Val index, int64_t classes) {
  if (!b.status()) return {};
  const Val samples = b.reshape(index, {1, element_count(b[index].dims)});
  return b.cast(b.compare(CompareFn::equal, index_ops::counted(b, DType::i64, classes, 2, 0), samples), DType::f32);
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val logits = a.in("logits"), labels = a.in("labels");
  if (!b.status()) return {Val{}};
  const int64_t classes = b[logits].dims[1];
  const auto largest = index_ops::largest(b, logits, 1);
  const Val right = one_hot_rows(b, labels, classes), taken_for = one_hot_rows(b, largest.place, classes);
  if (!b.status()) return {Val{}};
  const Val is_number = b.reshape(largest.is_number, {1, element_count(b[labels].dims)});
  const Val said = b.mul(taken_for, is_number);
  const auto samples = static_cast<double>(element_count(b[labels].dims));
  return {b.scale(b.matmul(right, said, true), 1 / samples)};
}

static Examples examples() {
  const std::string why = "the largest score is a step function";
  return {
      {.name = "digits",
       .inputs = {{"logits", DType::f32, {50, 3}, {"N", "C"}, -4, 4}, {"labels", DType::i64, {50}, {"N"}, 0, 3}},
       .no_gradient_because = why},
      {.name = "image",
       .inputs = {{"logits", DType::f32, {2, 3, 4, 5}, {"N", "C", "H", "W"}, -4, 4},
                  {"labels", DType::i64, {2, 4, 5}, {"N", "H", "W"}, 0, 3}},
       .no_gradient_because = why},
  };
}

}  // namespace hw::nodes::confusion_matrix

HW_NODE(confusion_matrix)
