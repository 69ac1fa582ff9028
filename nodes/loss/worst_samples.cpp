// Worst Samples: those whose right class a classifier finds the least likely.
#include "engine/node/shapes.h"
#include "engine/program/index_ops.h"

namespace hw::nodes::worst_samples {

static void declare(NodeDecl& d) {
  d.title("Worst Samples").category("Loss").summary("Finds the samples whose right class is found the least likely.");
  d.doc(
      "The `count` samples of the largest `-ln softmax(logits)[label]`, the largest first, or all where there are "
      "fewer: their `loss` [K], f32, their `row` [K] in the batch, the `sample`s themselves [K, ..], their `label` [K] "
      "and the `predicted` class [K], -1 where a score is NaN. sample: [N, ..]; logits: [N, C], a score for each of C "
      "classes; labels: whole "
      "numbers 0 to C-1, i64, [N]. Training looks for them in a whole split, as it measures Accuracy; `row` is then "
      "that "
      "in the split, and the view \"Evaluation\" shows them. For watching only: no gradient passes.");
  d.source("fastai, `ClassificationInterpretation.plot_top_losses`");
  d.metric(MetricReduction::largest);
  d.keywords("hardest samples top losses errors mistakes misclassified metric evaluation interpretation");
  d.integer("count", 16).docs("How many samples are kept.").range(1, 64);
  d.input("sample").docs("What was classified, [N, ..].").with_axes("N").dtype_group("S", running_floats());
  d.input("logits").docs("Scores of the classes, [N, C].").with_axes("N C").dtype_group("T", running_floats());
  d.input("labels").docs("The right classes, [N].").with_axes("N").dtypes({DType::i64});
  d.output("loss").dtypes({DType::f32});
  d.output("row").dtypes({DType::i64});
  d.output("sample").dtype_group("S");
  d.output("label").dtypes({DType::i64});
  d.output("predicted").dtypes({DType::i64});
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_CHECK(shapes::labels_of_logits(a));
  const Shape &logits = a.shape("logits"), &sample = a.shape("sample");
  if (logits.rank() != 2)
    return Error{codes::rank_mismatch, "logits", "must be [N, C], one row a sample, got " + to_string(logits) + ".",
                 ""};
  if (sample.rank() < 1 || (sample[0].known() && logits[0].known() && sample[0].size != logits[0].size))
    return Error{
        codes::size_mismatch, "sample",
        "must have a row for each of the logits: sample " + to_string(sample) + ", logits " + to_string(logits) + ".",
        "Wire what the classifier was given."};
  if (!logits[0].known())
    return Error{codes::size_mismatch, "logits", "the axis N needs a known size, got " + to_string(logits) + ".",
                 "Give the source a fixed size."};
  const Axis rows{logits[0].name, std::min(a.params().integer("count"), logits[0].size), ""};
  Shape kept = sample;
  kept[0] = rows;
  const auto whole = shapes::tensor(DType::i64, {rows});
  return Shapes{shapes::tensor(DType::f32, {rows}), whole, shapes::tensor(a.dtype("sample"), kept), whole, whole};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val sample = a.in("sample"), logits = a.in("logits"), labels = a.in("labels");
  if (!b.status()) return {Val{}, Val{}, Val{}, Val{}, Val{}};
  const Val right = b.gather_elements(b.log_softmax(b.cast(logits, DType::f32), 1), labels, 1);
  const int64_t rows = std::min(a.params().integer("count"), b[logits].dims[0]);
  const auto top = index_ops::top_k(b, b.stop_gradient(b.unary(UnaryFn::neg, right)), 0, rows);
  std::vector<Val> all{top.values, top.places};
  const auto said = index_ops::largest(b, logits, 1);
  if (!b.status()) return {Val{}, Val{}, Val{}, Val{}, Val{}};
  const Val none = b.constant(Tensor::from_f64(DType::f64, {}, {{-1}}));
  const Val predicted =
      b.cast(b.where(b.cast(said.is_number, DType::boolean), b.cast(said.place, DType::f64), none), DType::i64);
  for (const Val x : {b.stop_gradient(sample), labels, predicted}) all.push_back(index_ops::taken(b, x, top.places, 0));
  if (!b.status()) return {Val{}, Val{}, Val{}, Val{}, Val{}};
  const std::string name = b[logits].axes.empty() ? "" : b[logits].axes[0];
  for (const Val y : all) {
    std::vector<std::string> axes = y.id == all[2].id ? b[sample].axes : std::vector<std::string>{};
    axes.resize(b[y].dims.size());
    axes[0] = name;
    b.set_axes(y, axes);
  }
  return {all.begin(), all.end()};
}

static Examples examples() {
  const std::string why = "which samples are the worst is a step function";
  return {
      {.name = "pictures",
       .inputs = {{"sample", DType::f32, {20, 1, 3, 2}, {"N", "C", "H", "W"}, 0, 1},
                  {"logits", DType::f32, {20, 5}, {"N", "C"}, -4, 4},
                  {"labels", DType::i64, {20}, {"N"}, 0, 5}},
       .params = {{"count", int64_t{6}}},
       .no_gradient_because = why},
      {.name = "all",
       .inputs = {{"sample", DType::f32, {4, 3}, {}},
                  {"logits", DType::f32, {4, 2}, {}},
                  {"labels", DType::i64, {4}, {}, 0, 2}},
       .no_gradient_because = why},
  };
}

}  // namespace hw::nodes::worst_samples

HW_NODE(worst_samples)
