// DequantizeLinear: whole numbers of few bits as the floats they stand for.
#include "engine/node/quantised.h"

namespace hw::nodes::dequantize_linear {

static void declare(NodeDecl& d) {
  d.title("Dequantize Linear").category("Math").summary("Whole numbers of few bits as the floats that they stand for.");
  d.doc(
      "`y = (x - zero_point) · scale`. `scale`, and `zero_point` where it is wired (else 0), are one number, or one "
      "for "
      "each place of `axis` (per channel). Computed in f32 (f64 for f64) and rounded to the dtype of `scale`. Quantize "
      "Linear is the reverse.");
  d.source("ONNX, DequantizeLinear; PyTorch, `torch.dequantize`");
  d.keywords("dequantise int8 uint8 qdq scale zero point integer affine DequantizeLinear");
  d.integer("axis", 1).docs("Where scale has several elements: along which axis of x.").range(-8, 7);
  d.input("x").dtype_group("Q", shapes::quantised_dtypes());
  d.input("scale").dtype_group("T", running_floats());
  d.input("zero_point").dtype_group("Q", shapes::quantised_dtypes()).may_be_open();
  d.output("y").dtype_group("T");
}

static Result<Shapes> shape(const ShapeArgs& a) {
  HW_CHECK(shapes::scale_fits(a));
  return Shapes{shapes::tensor(a.dtype("scale"), a.shape("x"))};
}

static Lowered lower(OpBuilder& b, const LowerArgs& a) {
  const Val x = a.in("x");
  if (!b.status()) return {Val{}};
  const DType dtype = b[a.in("scale")].dtype, wide = dtype == DType::f64 ? dtype : DType::f32;
  const Dims dims = b[x].dims;
  const auto stretched = [&](const char* socket) {
    return shapes::along_axis(b, b.cast(a.in(socket), wide), dims, a.params().integer("axis"));
  };
  Val y = b.cast(x, wide);
  if (a.has("zero_point")) y = b.sub(y, stretched("zero_point"));
  return {b.cast(b.mul(y, stretched("scale")), dtype)};
}

static Examples examples() {
  return {
      {.name = "of_all",
       .inputs = {{"x", DType::i8, {9, 5}, {"N", "C"}, -128, 128}, {"scale", DType::f32, {}, {}, 0.02, 0.03}},
       .tolerance_factor = 4},
      {.name = "per_channel",
       .inputs = {{"x", DType::u8, {2, 3, 4}, {"N", "C", "T"}, 0, 256},
                  {"scale", DType::f32, {3}, {}, 0.02, 0.05},
                  {"zero_point", DType::u8, {3}, {}, 100, 140}},
       .tolerance_factor = 4},
  };
}

}  // namespace hw::nodes::dequantize_linear

HW_NODE(dequantize_linear)
