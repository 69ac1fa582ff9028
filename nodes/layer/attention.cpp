// Multi-head attention: softmax(Q Kᵀ / √D) V with projections of its own.
#include <cmath>

#include "engine/node/attention_shapes.h"
#include "engine/node/weight_init.h"
#include "engine/program/attention_ops.h"
#include "engine/program/product_bias.h"

namespace hw::nodes::attention {

static void declare(NodeDecl& d) {
  d.title("Attention").category("Layer").summary("Multi-head attention: each token gathers from all others.");
  d.doc(
      "`x` [batch, seq, hidden] asks; `context` [batch, tokens, channels] answers, or, while it is not linked, `x` "
      "itself (self-attention). With q = x · `query`ᵀ, k = context · `key`ᵀ, v = context · `value`ᵀ, each split into "
      "`heads` of size D = hidden / heads: `softmax(q · kᵀ / √D) · v` in each head, the heads side by side, times "
      "`output`ᵀ. `y` has the shape of `x`. Weights are [hidden, in]. They start as PyTorch's MultiheadAttention does: "
      "`output` uniform in ±1/√hidden; `query`, `key` and `value` in ±√(6 / (hidden + 3 hidden)), as one matrix, or in "
      "±√(6 / (hidden + in)) each where the context has another size. With `bias` each but the key gets one, which "
      "starts at 0: the softmax does not see what all keys share.\n\nWith `causal` a "
      "token sees itself and those before it alone, as a model that writes text must. `mask`, bool, says which tokens "
      "may "
      "be seen: [seq, tokens], [batch, seq, tokens], [batch, 1, tokens] or [batch, heads, seq, tokens]; true where one "
      "may. A token that sees none gathers 0, and what it may not see adds nothing, NaN and Inf included. With "
      "`rotary` q and k are turned by their places (Rotary "
      "Embedding, in halves) before the product; then hidden / heads must be even.\n\nStored in `dtype`; products "
      "accumulate and the softmax is taken in f32 (f64 for f64).");
  d.source(
      "Vaswani et al. 2017, Attention Is All You Need; PyTorch, `torch.nn.MultiheadAttention`; Su et al. 2021 "
      "(rotary)");
  d.keywords(
      "transformer self cross multihead head query key value softmax scaled dot product sdpa mha tokens causal masked "
      "autoregressive gpt rope "
      "MultiheadAttention");
  d.autocast(Autocast::low);
  d.integer("heads", 4).docs("Must divide the size of the last axis of x.").range(1, 1024);
  d.boolean("bias", true);
  d.boolean("causal", false).docs("A token sees itself and those before it alone.");
  d.boolean("rotary", false).docs("Turn queries and keys by their places.");
  d.real("rotary_base", 10000)
      .docs("The slowest turn takes about 2π · base tokens.")
      .above(1)
      .at_most(1e9)
      .logarithmic()
      .only_where = ParamIs{"rotary", true};
  d.dtype("dtype", DType::f32, running_floats()).labelled("dtype").docs("Storage dtype of weights, input and output.");
  shapes::declare_compute(d);
  for (const char* id : {"query", "key", "value", "output"}) d.weight(id, "dtype", "[hidden, in]");
  for (const char* id : {"query_bias", "value_bias", "output_bias"}) d.weight(id, "dtype", "[hidden]", "bias");
  shapes::declare_weight_init(d);
  d.input("x").dtype_of("dtype").with_axes("batch seq hidden");
  d.input("context").dtype_of("dtype").with_axes("batch tokens channels").may_be_open();
  d.input("mask").dtypes({DType::boolean}).docs("True where a token may be seen.").may_be_open();
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
  if (a.params().boolean("rotary") && hidden / heads % 2 != 0)
    return Error{codes::size_mismatch, "x",
                 "rotary turns pairs, but each of the " + std::to_string(heads) + " heads has an odd size, " +
                     std::to_string(hidden / heads) + ".",
                 "Choose a number of heads that leaves an even size."};
  if (a.in("context")) {
    HW_CHECK(shapes::require_axes(a, "context", "batch tokens channels"));
    HW_CHECK(shapes::last_size(a, "context"));
    const Axis &ours = a.shape("x")[0], &theirs = a.shape("context")[0];
    if (ours.known() && theirs.known() && ours.size != theirs.size)
      return Error{codes::size_mismatch, "context",
                   "axis batch is " + std::to_string(theirs.size) + ", that of x is " + std::to_string(ours.size) + ".",
                   "Give both as many samples."};
  }
  const Shape& x = a.shape("x");
  const Axis tokens = a.in("context") ? a.shape("context")[1] : x[1];
  HW_CHECK(shapes::mask_fits(a, Shape{x[0], {"heads", heads, ""}, x[1], tokens}));
  return shapes::same_as(a, "x");
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x"), context = a.has("context") ? a.in("context") : x;
  const Val mask = a.has("mask") ? shapes::mask_of_heads(b, a.in("mask")) : Val{};
  if (!b.status()) return {Val{}};
  const DType dtype = a.params().dtype("dtype");
  const auto compute = shapes::compute_of(a.params());
  const int64_t batch = b[x].dims[0], hidden = b[x].dims[2], heads = a.params().integer("heads");
  const auto project = [&](Val from, const std::string& name) {
    const int64_t in = b[from].dims.back();
    // PyTorch draws the three as one matrix [3 hidden, hidden] where their sizes allow it.
    const int64_t out = b[context].dims.back() == hidden ? 3 * hidden : hidden;
    const bool xavier = a.params().text("weight_init") == "default" && name != "output";
    const Init init = xavier ? Init{Init::Kind::uniform, std::sqrt(6.0 / static_cast<double>(in + out))}
                             : shapes::layer_init(a.params(), {hidden, in}).weight;
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
  Val q = in_heads(project(x, "query")), k = in_heads(project(context, "key"));
  const Val v = in_heads(project(context, "value"));
  if (a.params().boolean("rotary")) {
    const double base = a.params().real("rotary_base");
    q = attention_ops::rotary(b, q, base, false);
    k = attention_ops::rotary(b, k, base, false);
  }
  const attention_ops::Options options{.causal = a.params().boolean("causal"), .mask = mask, .compute = compute};
  const Val gathered = b.transpose(attention_ops::attention(b, q, k, v, options), {0, 2, 1, 3});
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
      {.name = "causal",
       .inputs = {{"x", DType::f32, {2, 5, 8}, axes}},
       .params = {{"heads", int64_t{2}}, {"causal", true}},
       .tolerance_factor = 8},
      {.name = "masked",
       .inputs = {{"x", DType::f32, {2, 3, 6}, axes},
                  {"context", DType::f32, {2, 4, 5}, axes},
                  {"mask", DType::boolean, {2, 1, 4}, axes, -0.5, 1}},
       .params = {{"heads", int64_t{3}}},
       .tolerance_factor = 8},
      {.name = "rotary",
       .inputs = {{"x", DType::f32, {1, 5, 8}, axes}},
       .params = {{"heads", int64_t{2}}, {"causal", true}, {"rotary", true}, {"rotary_base", 100.0}},
       .tolerance_factor = 8},
      {.name = "one_head",
       .inputs = {{"x", DType::f32, {1, 4, 3}, axes}},
       .params = {{"heads", int64_t{1}}},
       .tolerance_factor = 8},
  };
}

}  // namespace hw::nodes::attention

HW_NODE(attention)
