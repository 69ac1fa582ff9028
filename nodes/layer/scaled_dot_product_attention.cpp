// Scaled Dot Product Attention: softmax(Q Kᵀ / √D) V of wires, without weights.
#include "engine/node/attention_shapes.h"
#include "engine/program/attention_ops.h"

namespace hw::nodes::scaled_dot_product_attention {

static void declare(NodeDecl& d) {
  d.title("Scaled Dot Product Attention")
      .category("Layer")
      .summary("Attention of queries, keys and values that are there already, without weights.");
  d.doc(
      "`y = softmax(scale · query · keyᵀ) · value` in each head: query [batch, heads, seq, D], key "
      "[batch, heads, tokens, D], value [batch, heads, tokens, E], y [batch, heads, seq, E]. `scale` 0 stands for "
      "1/√D. "
      "With `causal` token i of the queries sees keys 0 to i alone. `mask`, bool, says which keys may be seen: "
      "[seq, tokens], [batch, seq, tokens], [batch, 1, tokens] or [batch, heads, seq, tokens]; true where one may. A "
      "query that sees no key gives 0, and what none may see adds nothing, NaN and Inf included; with a mask or "
      "`causal` a query that sees NaN or Inf in a key or a value gives NaN.\n\nProducts accumulate and the softmax is "
      "taken in f32 "
      "(f64 for f64). Attention has projections of its own.");
  d.source("Vaswani et al. 2017, Attention Is All You Need; PyTorch, `scaled_dot_product_attention`; ONNX, Attention");
  d.keywords("transformer sdpa flash multihead head query key value causal masked softmax");
  d.autocast(Autocast::low);
  d.boolean("causal", false).docs("A query sees its own place and those before it alone.");
  d.real("scale", 0).docs("Scores are multiplied by it; 0: 1/√D.").range(0, 1e6);
  shapes::declare_compute(d);
  d.input("query").dtype_group("T", running_floats()).with_axes("batch heads seq hidden");
  d.input("key").dtype_group("T", running_floats()).with_axes("batch heads tokens hidden");
  d.input("value").dtype_group("T", running_floats()).with_axes("batch heads tokens channels");
  d.input("mask").dtypes({DType::boolean}).docs("True where a key may be seen.").may_be_open();
  d.output("y").dtype_group("T").with_axes("batch heads seq channels");
}

// Axis `at` of `socket` and `other_at` of `other` must have one size.
static Status agree(const ShapeArgs& a, const char* socket, size_t at, const char* other, size_t other_at) {
  const Axis &mine = a.shape(socket)[at], &theirs = a.shape(other)[other_at];
  if (!mine.known() || !theirs.known() || mine.size == theirs.size) return ok();
  return Error{codes::size_mismatch, socket,
               "axis " + std::to_string(at) + " must have the size of axis " + std::to_string(other_at) + " of " +
                   other + ": " + other + " " + to_string(a.shape(other)) + ", " + socket + " " +
                   to_string(a.shape(socket)) + ".",
               ""};
}

static Result<Shapes> shape(const ShapeArgs& a) {
  for (const char* socket : {"query", "key", "value"})
    HW_CHECK(shapes::require_axes(a, socket, "batch heads tokens hidden"));
  for (const size_t axis : {0, 1, 3}) HW_CHECK(agree(a, "key", axis, "query", axis));
  for (const size_t axis : {0, 1, 2}) HW_CHECK(agree(a, "value", axis, "key", axis));
  const Shape& q = a.shape("query");
  if (q[3].size == 0) return Error{codes::size_mismatch, "query", "its last axis is empty: " + to_string(q) + ".", ""};
  HW_CHECK(shapes::mask_fits(a, Shape{q[0], q[1], q[2], a.shape("key")[2]}));
  Shape y = q;
  y[3] = a.shape("value")[3];
  y[3].name = q[3].name;
  return Shapes{shapes::tensor(a.dtype("query"), y)};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val q = a.in("query");
  attention_ops::Options options{.causal = a.params().boolean("causal"), .compute = shapes::compute_of(a.params())};
  if (const double scale = a.params().real("scale"); scale > 0) options.scale = scale;
  if (a.has("mask")) options.mask = shapes::mask_of_heads(b, a.in("mask"));
  const Val y = attention_ops::attention(b, q, a.in("key"), a.in("value"), options);
  if (b.status()) b.set_axes(y, b[q].axes);
  return {y};
}

static Examples examples() {
  const std::vector<std::string> axes{"batch", "heads", "seq", "hidden"};
  const auto inputs = [&](Dims q, Dims k, Dims v) {
    return std::vector<ExampleInput>{{"query", DType::f32, std::move(q), axes},
                                     {"key", DType::f32, std::move(k), axes},
                                     {"value", DType::f32, std::move(v), axes}};
  };
  std::vector<ExampleInput> masked = inputs({2, 2, 3, 4}, {2, 2, 5, 4}, {2, 2, 5, 6});
  masked.push_back({"mask", DType::boolean, {2, 3, 5}, {}, -0.5, 1});
  return {
      {.name = "all", .inputs = inputs({2, 3, 4, 6}, {2, 3, 5, 6}, {2, 3, 5, 6}), .tolerance_factor = 5},
      {.name = "causal",
       .inputs = inputs({1, 2, 5, 4}, {1, 2, 5, 4}, {1, 2, 5, 4}),
       .params = {{"causal", true}, {"scale", 0.3}},
       .tolerance_factor = 5},
      {.name = "masked", .inputs = std::move(masked), .tolerance_factor = 5},
  };
}

}  // namespace hw::nodes::scaled_dot_product_attention

HW_NODE(scaled_dot_product_attention)
