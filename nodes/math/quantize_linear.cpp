// QuantizeLinear: floats as whole numbers of a few bits, by a scale and a zero point.
#include "engine/node/quantised.h"

namespace hw::nodes::quantize_linear {

static void declare(NodeDecl& d) {
  d.title("Quantize Linear")
      .category("Math")
      .summary("Floats as whole numbers of few bits, by a scale and a zero point.");
  d.doc(
      "`y = round(x / scale) + zero_point`, ties to even, cut to the range of `to`. `scale`, and `zero_point` where it "
      "is "
      "wired (else 0), are one number, or one for each place of `axis` (per channel). Computed in f32 (f64 for f64). "
      "No "
      "gradient passes whole numbers. Dequantize Linear is the reverse.");
  d.source("ONNX, QuantizeLinear; PyTorch, `torch.quantize_per_tensor`");
  d.keywords("quantise int8 uint8 qdq scale zero point integer affine QuantizeLinear");
  d.integer("axis", 1).docs("Where scale has several elements: along which axis of x.").range(-8, 7);
  d.dtype("to", DType::i8, shapes::quantised_dtypes()).docs("dtype of the output.");
  d.input("x").dtype_group("T", running_floats());
  d.input("scale").dtype_group("T", running_floats());
  d.input("zero_point").dtype_of("to").may_be_open();
  d.output("y").dtype_of("to");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_CHECK(shapes::scale_fits(a));
  return Shapes{shapes::tensor(a.params().dtype("to"), a.shape("x"))};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  if (!b.status()) return {Val{}};
  const DType wide = b[x].dtype == DType::f64 ? DType::f64 : DType::f32;
  const Dims dims = b[x].dims;
  const auto stretched = [&](const char* socket) {
    return shapes::along_axis(b, b.cast(a.in(socket), wide), dims, a.params().integer("axis"));
  };
  Val y = b.unary(UnaryFn::round, b.div(b.cast(x, wide), stretched("scale")));
  if (a.has("zero_point")) y = b.add(y, stretched("zero_point"));
  return {b.cast(y, a.params().dtype("to"))};
}

static Examples examples() {
  const std::string why = "the result is a whole number";
  return {
      {.name = "of_all",
       .inputs = {{"x", DType::f32, {9, 5}, {"N", "C"}, -4, 4}, {"scale", DType::f32, {}, {}, 0.02, 0.03}},
       .no_gradient_because = why},
      {.name = "per_channel",
       .inputs = {{"x", DType::f32, {2, 3, 4}, {"N", "C", "T"}, -4, 4},
                  {"scale", DType::f32, {3}, {}, 0.02, 0.05},
                  {"zero_point", DType::u8, {3}, {}, 100, 140}},
       .params = {{"to", std::string("u8")}},
       .no_gradient_because = why},
  };
}

}  // namespace hw::nodes::quantize_linear

HW_NODE(quantize_linear)
