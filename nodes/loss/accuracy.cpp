// Accuracy: the share of rows whose largest score is that of the right class.
#include "engine/node/shapes.h"
#include "engine/program/index_ops.h"

namespace hw::nodes::accuracy {

static void declare(NodeDecl& d) {
  d.title("Accuracy").category("Loss").summary("The share of predictions whose largest score is the right class.");
  d.doc(
      "`accuracy = mean(argmax(logits) = label)`, an f32 scalar `[]` from 0 to 1. logits: [N, C, ..], a score for each "
      "of C classes; labels: whole numbers 0 to C-1, i64, with the sizes of the logits without their axis 1: [N, ..]. "
      "Of equal scores the first class counts; scores with a NaN among them are wrong. For watching only: no gradient "
      "passes.");
  d.source("scikit-learn, `accuracy_score`");
  d.metric(MetricReduction::mean);
  d.keywords("classification metric score correct percent top1 argmax");
  d.input("logits").docs("Scores of the classes, [N, C, ..].").with_axes("N C").dtype_group("T", running_floats());
  d.input("labels").docs("The right classes, [N, ..].").with_axes("N").dtypes({DType::i64});
  d.output("accuracy").dtypes({DType::f32});
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_CHECK(shapes::labels_of_logits(a));
  return Shapes{shapes::tensor(DType::f32, Shape{})};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const auto said = index_ops::largest(b, a.in("logits"), 1);
  const Val right = b.cast(b.compare(CompareFn::equal, said.place, a.in("labels")), DType::f32);
  return {b.mean(b.mul(right, said.is_number))};
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

}  // namespace hw::nodes::accuracy

HW_NODE(accuracy)
