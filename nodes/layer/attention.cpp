// Multi-head attention: softmax(Q Kᵀ / √D) V with projections of its own.
#include <cmath>

#include "engine/node/shapes.h"
#include "engine/program/product_bias.h"

namespace hw::nodes::attention {

static void declare(NodeDecl& d) {
  d.title("Attention").category("Layer").summary("Multi-head attention: each token gathers from all others.");
  d.doc(
      "`x` [batch, seq, hidden] asks; `context` [batch, tokens, channels] answers, or, while it is not linked, `x` "
      "itself (self-attention). With q = x · `query`ᵀ, k = context · `key`ᵀ, v = context · `value`ᵀ, each split into "
      "`heads` of size D = hidden / heads: `softmax(q · kᵀ / √D) · v` in each head, the heads side by side, times "
      "`output`ᵀ. `y` has the shape of `x`. Weights are [hidden, in], uniform in ±√(6 / (in + hidden)); with `bias` "
      "each but the key gets one, which starts at 0: the softmax does not see what all keys share. Stored in `dtype`; "
      "products accumulate and the softmax is taken in "
      "f32 "
      "(f64 for f64).");
  d.source("Vaswani et al. 2017, Attention Is All You Need; PyTorch, `torch.nn.MultiheadAttention`");
  d.keywords(
      "transformer self cross multihead head query key value softmax scaled dot product sdpa mha tokens "
      "MultiheadAttention scaled_dot_product_attention");
  d.autocast(Autocast::low);
  d.integer("heads", 4).docs("Must divide the size of the last axis of x.").range(1, 1024);
  d.boolean("bias", true);
  d.dtype("dtype", DType::f32, running_floats()).labelled("dtype").docs("Storage dtype of weights, input and output.");
  shapes::declare_compute(d);
  for (const char* id : {"query", "key", "value", "output"}) d.weight(id, "dtype", "[hidden, in]");
  for (const char* id : {"query_bias", "value_bias", "output_bias"}) d.weight(id, "dtype", "[hidden]", "bias");
  d.input("x").dtype_of("dtype").with_axes("batch seq hidden");
  d.input("context").dtype_of("dtype").with_axes("batch tokens channels").may_be_open();
  d.output("y").dtype_of("dtype").with_axes("batch seq hidden");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_CHECK(shapes::require_axes(a, "x", "batch seq hidden"));
  HW_TRY(const int64_t hidden, shapes::last_size(a, "x"));
  const int64_t heads = a.params().integer("heads");
  if (hidden < 1 || hidden % heads != 0)
    return Error{
        codes::size_mismatch, "x",
        "its last axis, " + std::to_string(hidden) + ", is no multiple of " + std::to_string(heads) + " heads.",
        "Choose a number of heads that divides it."};
  if (a.in("context")) {
    HW_CHECK(shapes::require_axes(a, "context", "batch tokens channels"));
    HW_CHECK(shapes::last_size(a, "context"));
    const Axis &ours = a.shape("x")[0], &theirs = a.shape("context")[0];
    if (ours.known() && theirs.known() && ours.size != theirs.size)
      return Error{codes::size_mismatch, "context",
                   "axis batch is " + std::to_string(theirs.size) + ", that of x is " + std::to_string(ours.size) + ".",
                   "Give both as many samples."};
  }
  return shapes::same_as(a, "x");
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x"), context = a.has("context") ? a.in("context") : x;
  if (!b.status()) return {Val{}};
  const DType dtype = a.params().dtype("dtype");
  const auto compute = shapes::compute_of(a.params());
  const int64_t batch = b[x].dims[0], hidden = b[x].dims[2], heads = a.params().integer("heads");
  const auto project = [&](Val from, const std::string& name) {
    const int64_t in = b[from].dims.back();
    const Init init{Init::Kind::uniform, std::sqrt(6.0 / static_cast<double>(in + hidden))};
    const Val weight = b.param(name, dtype, {hidden, in}, init);
    // The softmax does not see what is added to every key.
    const bool biased = a.params().boolean("bias") && name != "key";
    const Val bias = biased ? b.param(name + "_bias", dtype, {hidden}, {}) : Val{};
    return product_with_bias(b, Op::matmul, from, weight, bias, MatmulAttr{true, false, compute});
  };
  const auto in_heads = [&](Val y) {
    if (!b.status()) return y;
    return b.transpose(b.reshape(y, {batch, b[y].dims[1], heads, hidden / heads}), {0, 2, 1, 3});
  };
  const Val q = in_heads(b.scale(project(x, "query"), 1 / std::sqrt(static_cast<double>(hidden / heads))));
  const Val k = in_heads(project(context, "key")), v = in_heads(project(context, "value"));
  const Val shares = b.softmax(b.batch_matmul(q, k, false, true, compute), 3);
  const Val gathered = b.transpose(b.batch_matmul(shares, v, false, false, compute), {0, 2, 1, 3});
  if (!b.status()) return {Val{}};
  const Val y = project(b.reshape(gathered, {batch, b[x].dims[1], hidden}), "output");
  b.set_axes(y, b[x].axes);
  return {y};
}

static Examples examples() {
  const std::vector<std::string> axes{"batch", "seq", "hidden"};
  return {
      {.name = "self",
       .inputs = {{"x", DType::f32, {2, 5, 8}, axes}},
       .params = {{"heads", int64_t{2}}},
       .tolerance_factor = 8},
      {.name = "cross",
       .inputs = {{"x", DType::f32, {2, 3, 6}, axes}, {"context", DType::f32, {2, 4, 5}, axes}},
       .params = {{"heads", int64_t{3}}, {"bias", false}},
       .tolerance_factor = 8},
      {.name = "one_head",
       .inputs = {{"x", DType::f32, {1, 4, 3}, axes}},
       .params = {{"heads", int64_t{1}}},
       .tolerance_factor = 8},
  };
}

}  // namespace hw::nodes::attention

HW_NODE(attention)
