// Numbers of few bits and the floats that they stand for.
#include "app/interop/onnx/rules.h"

namespace hw::interop {
namespace {

Status quantize(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const Wire scale, im.in(n, 1));
  Wires inputs{{"x", x}, {"scale", scale}};
  if (n.integer("block_size", 0) != 0 || n.integer("saturate", 1) == 0)
    return unsupported("blocks, or values that leave the range.");
  if (n.integer("precision", 0) != 0) return unsupported("a precision of its own.");
  const int64_t asked = n.integer("output_dtype", 0);
  if (asked != 0 && !dtype_of(asked)) return unsupported("Halfwire does not have its output_dtype.");
  DType to = asked != 0 ? *dtype_of(asked) : DType::u8;
  if (im.has(n, 2)) {
    HW_TRY(const Wire zero, im.in(n, 2));
    HW_TRY(const WireType type, im.type(zero));
    to = type.dtype;
    inputs.emplace_back("zero_point", zero);
  }
  HW_TRY(const Wire y,
         im.add("quantize_linear", inputs, {{"axis", n.integer("axis", 1)}, {"to", std::string(name(to))}}));
  im.set(n, 0, y);
  return ok();
}

/// (x − zero) · scale of constants, as a Dequantize Linear computes it. Nothing: their sizes do not fit.
std::optional<Tensor> dequantized(const Tensor& x, const Tensor& scale, const Tensor* zero, int64_t axis) {
  const auto rank = static_cast<int64_t>(x.dims().size());
  const bool of_all = scale.size() == 1;
  if (axis < 0) axis += rank;
  if (!of_all && (axis < 0 || axis >= rank || x.dims()[static_cast<size_t>(axis)] != scale.size())) return std::nullopt;
  if (zero && zero->size() != scale.size()) return std::nullopt;
  int64_t inner = 1;
  for (int64_t d = of_all ? rank : axis + 1; d < rank; ++d) inner *= x.dims()[static_cast<size_t>(d)];
  std::vector<double> values = x.to_f64();
  const std::vector<double> scales = scale.to_f64();
  const std::vector<double> zeros = zero ? zero->to_f64() : std::vector<double>(scales.size(), 0.0);
  const bool wide = scale.dtype() == DType::f64;
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t at = of_all ? 0 : i / static_cast<size_t>(inner) % scales.size();
    values[i] -= zeros[at];
    values[i] = wide ? values[i] * scales[at] : static_cast<float>(values[i]) * static_cast<float>(scales[at]);
  }
  return Tensor::from_f64(scale.dtype(), x.dims(), values);
}

/// Of constants the floats that they stand for, so that layers have them as weights.
Status dequantize(Importer& im, const OnnxNode& n) {
  if (n.integer("block_size", 0) != 0) return unsupported("blocks.");
  if (n.integer("output_dtype", 0) != 0) return unsupported("an output_dtype of its own.");
  const Tensor *whole = im.constant(n, 0), *scales = im.constant(n, 1), *zeros = im.constant(n, 2);
  if (whole && scales && (zeros || !im.has(n, 2))) {
    auto floats = dequantized(*whole, *scales, zeros, n.integer("axis", 1));
    if (!floats) return unsupported("its scale and its input do not fit.");
    im.set_dequantized(n, std::move(*floats));
    return ok();
  }
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const Wire scale, im.in(n, 1));
  Wires inputs{{"x", x}, {"scale", scale}};
  if (im.has(n, 2)) {
    HW_TRY(const Wire zero, im.in(n, 2));
    inputs.emplace_back("zero_point", zero);
  }
  HW_TRY(const Wire y, im.add("dequantize_linear", inputs, {{"axis", n.integer("axis", 1)}}));
  im.set(n, 0, y);
  return ok();
}

}  // namespace

std::span<const RuleRow> quantize_rules() {
  static constexpr RuleRow kRows[]{
      {"DequantizeLinear", dequantize},
      {"QuantizeLinear", quantize},
  };
  return kRows;
}

}  // namespace hw::interop
