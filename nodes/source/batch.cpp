// Batch: samples of a data set, every one once an epoch; the test split in order when not training.
#include "engine/node/data_rows.h"

namespace hw::nodes::batch {

static void declare(NodeDecl& d) {
  d.title("Batch").category("Source").summary("Draws samples and labels of a data set, each once an epoch.");
  d.doc(
      "`x` [N, sample…] f32 = (value - mean) / std, where bytes stand for value / 255; `labels` [N] i64, -1 where the "
      "data set has none. In training, batches follow one another through the training split; with `shuffle` in an "
      "order "
      "that is new in every epoch, a permutation drawn by Philox4x32-10 from the run's seed: the same on every device. "
      "A "
      "batch may straddle two epochs. In evaluation mode: the test split in order, or the training split where there "
      "is no other.");
  d.source("PyTorch, `DataLoader`; Black and Rogaway 2002 (permutations by a Feistel network)");
  d.keywords("minibatch loader samples labels epoch shuffle training data DataLoader");
  data_rows::declare(d, 64);
  d.real("mean", 0).docs("Subtracted from every value.").range(-1e6, 1e6);
  d.real("std", 1).labelled("Standard deviation").docs("Every value is divided by it.").above(0).at_most(1e6);
  d.random(ParamIs{"shuffle", true});
  d.input("data").dataset();
  d.output("x").with_axes("N C H W").dtypes({DType::f32}).docs("Samples.");
  d.output("labels").with_axes("N").dtypes({DType::i64}).docs("Classes, numbered from 0.");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  const Axis n{"N", a.params().integer("batch_size"), ""};
  Shape x{n};
  for (const Axis& axis : a.shape("data").axes()) x.push_back(axis);
  return Shapes{{.dtype = DType::f32, .shape = x}, {.dtype = DType::i64, .shape = {n}}};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  if (!b.status()) return {Val{}, Val{}};
  SampleRowsAttr attr = data_rows::attr(a);
  attr.mean = a.params().real("mean");
  attr.std = a.params().real("std");
  const auto rows = b.sample_rows(std::move(attr));
  return {rows.x, rows.labels};
}

static Examples examples() {
  const std::string why = "samples do not depend on a tensor";
  return {
      {.name = "shuffled",
       .inputs = {{.socket = "data"}},
       .params = {{"batch_size", int64_t{7}}},
       .no_gradient_because = why},
      {.name = "standardised",
       .inputs = {{.socket = "data"}},
       .params = {{"batch_size", int64_t{25}}, {"shuffle", false}, {"mean", 0.1307}, {"std", 0.3081}},
       .no_gradient_because = why},
  };
}

}  // namespace hw::nodes::batch

HW_NODE(batch)
