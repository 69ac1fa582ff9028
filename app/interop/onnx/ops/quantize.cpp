// Numbers of few bits and the floats that they stand for.
#include <cmath>

#include "app/interop/onnx/rules.h"

namespace hw::interop {
namespace {

/// Scales or zero points beside x: one number, one for each place along the axis, or one for each block of `block`
/// places.
Result<Wire> beside(Importer& im, const Wire& x, const Wire& of, int64_t axis, int64_t block) {
  HW_TRY(const int64_t rank, im.rank(x));
  HW_TRY(const Dims dims, im.dims(of));
  if (block == 0 && element_count(dims) == 1) return of;
  HW_TRY(const int64_t along, im.axis(x, axis));
  if (block == 0) {
    if (along == rank - 1) return of;
    std::vector<double> behind;
    for (int64_t d = 1; along + d < rank; ++d) behind.push_back(static_cast<double>(d));
    return im.add("unsqueeze", {{"x", of}}, {{"axes", behind}});
  }
  HW_TRY(const Dims whole, im.dims(x));
  const int64_t size = whole[static_cast<size_t>(along)];
  if (block < 0 || static_cast<int64_t>(dims.size()) != rank || size > kMost ||
      dims[static_cast<size_t>(along)] != (size + block - 1) / block)
    return unsupported("its blocks do not fit its scales.");
  std::vector<int64_t> rows;
  for (int64_t i = 0; i < size; ++i) rows.push_back(i / block);
  HW_TRY(const Wire index, im.constant_wire(integers_of(rows)));
  return im.add("gather", {{"x", of}, {"index", index}}, {{"axis", along}});
}

/// round(x / scale) + zero, at most the ends of the dtype; element by element, for what the node does not have.
Result<Wire> quantized_by_steps(Importer& im, const OnnxNode& n, const Wire& x, DType to) {
  const int64_t axis = n.integer("axis", 1), block = n.integer("block_size", 0);
  HW_TRY(Wire scale, im.in(n, 1));
  HW_TRY(const WireType given, im.type(x));
  HW_TRY(scale, im.cast(scale, given.dtype));
  HW_TRY(scale, beside(im, x, scale, axis, block));
  HW_TRY(Wire y, im.add("div", {{"a", x}, {"b", scale}}));
  if (info(to).is_float) {
    if (im.has(n, 2) && (!im.bound(n, 2) || im.bound(n, 2)->to_f64() !=
                                                std::vector<double>(static_cast<size_t>(im.bound(n, 2)->size()), 0.0)))
      return unsupported("a zero point of floats that is not 0.");
    return im.add("cast", {{"x", y}}, {{"to", std::string(name(to))}, {"saturate", n.integer("saturate", 1) != 0}});
  }
  HW_TRY(y, im.add("round", {{"x", y}}));
  HW_TRY(y, im.cast(y, DType::f64));
  if (im.has(n, 2)) {
    HW_TRY(Wire zero, im.in(n, 2));
    HW_TRY(zero, im.cast(zero, DType::f64));
    HW_TRY(zero, beside(im, x, zero, axis, block));
    HW_TRY(y, im.add("add", {{"a", y}, {"b", zero}}));
  }
  const double period = std::ldexp(1.0, info(to).bits), least = to == DType::u8 ? 0 : -period / 2;
  HW_TRY(y, im.add("clip", {{"x", y}}, {{"min", least}, {"max", least + period - 1}}));
  return im.cast(y, to);
}

Status quantize(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const Wire scale, im.in(n, 1));
  Wires inputs{{"x", x}, {"scale", scale}};
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
  const bool by_steps = n.integer("block_size", 0) != 0 || to == DType::f8e4m3 || to == DType::f8e5m2;
  HW_TRY(const Wire y,
         by_steps ? quantized_by_steps(im, n, x, to)
                  : im.add("quantize_linear", inputs, {{"axis", n.integer("axis", 1)}, {"to", std::string(name(to))}}));
  im.set(n, 0, y);
  return ok();
}

/// Which scale is that of element i of a tensor with these sizes. Nothing: they do not fit.
std::optional<std::vector<size_t>> scale_of_each(const Dims& dims, const Tensor& scale, int64_t axis, int64_t block) {
  const auto rank = static_cast<int64_t>(dims.size());
  if (axis < 0) axis += rank;
  std::vector<size_t> which(static_cast<size_t>(element_count(dims)), 0);
  if (block == 0 && scale.size() == 1) return which;
  if (axis < 0 || axis >= rank || block < 0) return std::nullopt;
  const auto d = static_cast<size_t>(axis);
  Dims wanted = block == 0 ? Dims{dims[d]} : dims;
  if (block != 0) wanted[d] = dims[d] / block + (dims[d] % block != 0);
  if (scale.dims() != wanted) return std::nullopt;
  size_t inner = 1;
  for (size_t k = d + 1; k < dims.size(); ++k) inner *= static_cast<size_t>(dims[k]);
  const auto size = static_cast<size_t>(dims[d]);
  for (size_t i = 0; i < which.size(); ++i) {
    const size_t at = i / inner % size;
    which[i] =
        block == 0
            ? at
            : (i / inner / size * static_cast<size_t>(wanted[d]) + at / static_cast<size_t>(block)) * inner + i % inner;
  }
  return which;
}

/// (x − zero) · scale of constants, as a Dequantize Linear computes it. Nothing: their sizes do not fit.
std::optional<Tensor> dequantized(const Tensor& x, const Tensor& scale, const Tensor* zero, const OnnxNode& n) {
  const auto which = scale_of_each(x.dims(), scale, n.integer("axis", 1), n.integer("block_size", 0));
  if (!which || (zero && zero->size() != scale.size())) return std::nullopt;
  std::vector<double> values = x.to_f64();
  const std::vector<double> scales = scale.to_f64();
  const std::vector<double> zeros = zero ? zero->to_f64() : std::vector<double>(scales.size(), 0.0);
  const bool wide = scale.dtype() == DType::f64;
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t at = (*which)[i];
    values[i] -= zeros[at];
    values[i] = wide ? values[i] * scales[at] : static_cast<float>(values[i]) * static_cast<float>(scales[at]);
  }
  return Tensor::from_f64(scale.dtype(), x.dims(), values);
}

/// (x − zero) · scale, element by element, for what the node does not have.
Result<Wire> dequantized_by_steps(Importer& im, const OnnxNode& n, const Wire& x, const Wire& scale) {
  const int64_t axis = n.integer("axis", 1), block = n.integer("block_size", 0);
  HW_TRY(const WireType made, im.type(scale));
  HW_TRY(Wire y, im.cast(x, made.dtype));
  if (im.has(n, 2)) {
    HW_TRY(Wire zero, im.in(n, 2));
    HW_TRY(zero, im.cast(zero, made.dtype));
    HW_TRY(zero, beside(im, x, zero, axis, block));
    HW_TRY(y, im.add("sub", {{"a", y}, {"b", zero}}));
  }
  HW_TRY(const Wire by, beside(im, x, scale, axis, block));
  return im.add("mul", {{"a", y}, {"b", by}});
}

/// The floats that constants stand for, so that layers have them as weights.
Status dequantize(Importer& im, const OnnxNode& n) {
  const int64_t asked = n.integer("output_dtype", 0);
  if (asked != 0 && !dtype_of(asked)) return unsupported("Halfwire does not have its output_dtype.");
  const Tensor *whole = im.constant(n, 0), *scales = im.constant(n, 1), *zeros = im.constant(n, 2);
  if (whole && scales && (zeros || !im.has(n, 2))) {
    auto floats = dequantized(*whole, *scales, zeros, n);
    if (!floats) return unsupported("its scale and its input do not fit.");
    im.set_dequantized(n, asked != 0 ? floats->to(*dtype_of(asked)) : std::move(*floats));
    return ok();
  }
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const Wire scale, im.in(n, 1));
  HW_TRY(const WireType given, im.type(x));
  Wires inputs{{"x", x}, {"scale", scale}};
  if (im.has(n, 2)) {
    HW_TRY(const Wire zero, im.in(n, 2));
    inputs.emplace_back("zero_point", zero);
  }
  const bool by_steps = n.integer("block_size", 0) != 0 || info(given.dtype).is_float;
  HW_TRY(Wire y, by_steps ? dequantized_by_steps(im, n, x, scale)
                          : im.add("dequantize_linear", inputs, {{"axis", n.integer("axis", 1)}}));
  if (asked != 0) {
    HW_TRY(y, im.cast(y, *dtype_of(asked)));
  }
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
