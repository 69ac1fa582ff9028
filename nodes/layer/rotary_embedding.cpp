// Rotary Embedding: turns pairs of channels by the place of their token.
#include "engine/core/sizes.h"
#include "engine/node/shapes.h"
#include "engine/program/attention_ops.h"

namespace hw::nodes::rotary_embedding {

static void declare(NodeDecl& d) {
  d.title("Rotary Embedding").category("Layer").summary("Turns pairs of channels by the place of their token.");
  d.doc(
      "Pair j of token i is turned by the angle `i · base^(-2j / D)`; [.., seq, D] to the same, D even. Of queries and "
      "keys that were turned so, the product depends on the distance of their places alone: what an attention needs to "
      "know of order, without weights. `halves` pairs channel j with j + D/2 (LLaMA, GPT-NeoX), `interleaved` 2j with "
      "2j + 1 (the paper, GPT-J). Angles are worked out in f64; the rotation is f32 (f64 for f64), rounded once. "
      "Attention has it as a switch.");
  d.source("Su et al. 2021, RoFormer; ONNX, RotaryEmbedding");
  d.keywords("rope position positional encoding transformer attention query key llama gpt RotaryEmbedding");
  d.real("base", 10000)
      .docs("The slowest pair turns once in about 2π · base tokens.")
      .above(1)
      .at_most(1e9)
      .logarithmic();
  d.choice("pairs", "halves", {"halves", "interleaved"}).docs("Which channels make a pair.");
  d.input("x").dtype_group("T", running_floats()).with_axes(".. seq hidden");
  d.output("y").dtype_group("T").with_axes(".. seq hidden");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  const Shape& x = a.shape("x");
  const size_t rank = x.rank();
  if (rank < 2)
    return Error{codes::rank_mismatch, "x", "tokens are [.., seq, hidden], got " + to_string(x) + ".",
                 "Reshape to the expected axes."};
  if (!x[rank - 1].known() || !x[rank - 2].known() || x[rank - 1].size < 2 || x[rank - 1].size % 2 != 0)
    return Error{codes::size_mismatch, "x",
                 "the last axis must have an even size, and that before it a known one, got " + to_string(x) + ".",
                 "Choose heads of an even size."};
  HW_CHECK(check_size(DType::f64, {x[rank - 2].size, x[rank - 1].size}));
  return shapes::same_as(a, "x");
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  return {attention_ops::rotary(b, a.in("x"), a.params().real("base"), a.params().text("pairs") == "interleaved")};
}

static Examples examples() {
  return {
      {.name = "halves",
       .inputs = {{"x", DType::f32, {2, 3, 5, 6}, {"batch", "heads", "seq", "hidden"}}},
       .tolerance_factor = 2},
      {.name = "interleaved",
       .inputs = {{"x", DType::f32, {7, 4}, {"seq", "hidden"}}},
       .params = {{"pairs", std::string("interleaved")}, {"base", 100.0}},
       .tolerance_factor = 2},
  };
}

}  // namespace hw::nodes::rotary_embedding

HW_NODE(rotary_embedding)
