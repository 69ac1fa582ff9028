// Test Metric: a number that is reported over the whole test split.
#include "engine/node/shapes.h"

namespace hw::nodes::test_metric {

static void declare(NodeDecl& d) {
  d.title("Test Metric").category("Loss").summary("Reports the mean of a number over the test split, beside the loss.");
  d.doc(
      "`y` is `value`, an f32 scalar `[]`. Training reports it over the whole test split, as it reports Accuracy: wire "
      "the loss into it, or an error that is easier to read. For watching only: no gradient passes.");
  d.source("Keras, `Model.add_metric`");
  d.metric(MetricReduction::mean);
  d.keywords("validation held out evaluation monitor watch report perplexity score generalisation overfitting");
  d.input("value").docs("A number for each batch, such as a loss.").dtype_group("T", running_floats());
  d.output("y").dtypes({DType::f32});
}

static Result<Shapes> shape(const ShapeArgs& a) {
  if (a.shape("value").rank() != 0)
    return Error{codes::rank_mismatch, "value", "it must be one number, it is " + to_string(a.shape("value")) + ".",
                 "Take its mean first."};
  return Shapes{shapes::tensor(DType::f32, Shape{})};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  return {b.cast(b.stop_gradient(a.in("value")), DType::f32)};
}

static Examples examples() {
  return {{.name = "loss", .inputs = {{"value", DType::f32, {}, {}}}, .no_gradient_because = "no gradient passes"}};
}

}  // namespace hw::nodes::test_metric

HW_NODE(test_metric)
