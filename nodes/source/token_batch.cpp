// Token Batch: pieces of a text, and the same pieces one character on: what a language model reads and what it
// predicts.
#include "engine/node/data_rows.h"

namespace hw::nodes::token_batch {

static void declare(NodeDecl& d) {
  d.title("Token Batch").category("Source").summary("Draws pieces of a text, each with the tokens that follow.");
  d.doc(
      "From a data set of samples [L], such as windows of a text: `tokens` [batch, seq] i64 are the first L-1 of a "
      "sample, `targets` [batch, seq] the last L-1: at every place the token that comes next. In training, samples "
      "are drawn as Batch draws them; with `shuffle` in a new order in every epoch. In evaluation mode: the test "
      "split in order, or the training split where there is no other.");
  d.source("Karpathy, nanoGPT, `get_batch`");
  d.keywords("language model text tokens characters next minibatch loader gpt sequence causal");
  data_rows::declare(d, 12);
  d.random(ParamIs{"shuffle", true});
  d.input("data").dataset();
  d.output("tokens").with_axes("batch seq").dtypes({DType::i64}).docs("What is read.");
  d.output("targets").with_axes("batch seq").dtypes({DType::i64}).docs("The token after each.");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  const Shape& sample = a.shape("data");
  if (sample.rank() != 1 || sample[0].size < 2)
    return Error{codes::rank_mismatch, "data",
                 "samples must be [L] with L of 2 or more, they are " + to_string(sample) + ".",
                 "Set the sample sizes of the Dataset node, for example to [65] for 64 tokens."};
  const Shape both{{"batch", a.params().integer("batch_size"), ""}, {"seq", sample[0].size - 1, ""}};
  return Shapes{{.dtype = DType::i64, .shape = both}, {.dtype = DType::i64, .shape = both}};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  if (!b.status()) return {Val{}, Val{}};
  SampleRowsAttr attr = data_rows::attr(a);
  const int64_t length = attr.data->sample.at(0);
  const int64_t classes = attr.data->classes;
  const Val samples = b.cast(b.sample_rows(std::move(attr)).x, DType::i64);
  const auto piece = [&](int64_t first) {
    const Val values = b.slice(samples, 1, first, first + length - 1);
    b.set_axes(values, {"batch", "seq"});
    b.set_bound(values, classes);
    return values;
  };
  return {piece(0), piece(1)};
}

static Examples examples() {
  return {{.name = "pieces",
           .inputs = {{.socket = "data", .dims = {6}}},
           .params = {{"batch_size", int64_t{4}}},
           .no_gradient_because = "tokens do not depend on a tensor"}};
}

}  // namespace hw::nodes::token_batch

HW_NODE(token_batch)
