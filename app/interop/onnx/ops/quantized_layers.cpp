// Layers of whole numbers, as quantisers write them: what they stand for in floats, or in f64 where sums are exact.
#include <cmath>

#include "app/interop/onnx/rules.h"
#include "app/interop/onnx/steps.h"

namespace hw::interop {
namespace {

/// Inputs i, i + 1 and i + 2: numbers, their scale and their zero point.
std::string dequantized(Steps& s, const OnnxNode& n, size_t i, int64_t axis = 1) {
  return s.add("DequantizeLinear", {input(n, i), input(n, i + 1), input(n, i + 2)}, {{"axis", axis}});
}

/// Output 0 in the scale and zero point of inputs i and i + 1.
Result<std::vector<OnnxNode>> quantized(Steps& s, const OnnxNode& n, const std::string& y, size_t i) {
  s.give(0, s.add("QuantizeLinear", {y, input(n, i), input(n, i + 1)}));
  return s.take();
}

/// i32 of a bias: its scale is the product of two.
std::string dequantized_bias(Steps& s, const std::string& bias, const std::string& one, const std::string& other) {
  return s.add("DequantizeLinear", {bias, s.add("Mul", {one, other})}, {{"axis", int64_t{-1}}});
}

Result<std::vector<OnnxNode>> qlinear_conv(Importer& im, const OnnxNode& n) {
  Steps s(im, n);
  std::vector<std::string> inputs{dequantized(s, n, 0), dequantized(s, n, 3, 0)};
  if (im.has(n, 8)) inputs.push_back(dequantized_bias(s, n.inputs[8], n.inputs[1], n.inputs[4]));
  return quantized(s, n, s.add("Conv", inputs, n.attributes), 6);
}

/// Matrices of rank 2 may have a scale for each row of the first and each column of the second.
Result<std::pair<std::string, std::string>> matrices(Importer& im, Steps& s, const OnnxNode& n) {
  HW_TRY(const Dims a, im.open_dims(n, 0));
  HW_TRY(const Dims b, im.open_dims(n, 3));
  return std::pair(dequantized(s, n, 0, std::max<int64_t>(0, static_cast<int64_t>(a.size()) - 2)),
                   dequantized(s, n, 3, std::max<int64_t>(0, static_cast<int64_t>(b.size()) - 1)));
}

Result<std::vector<OnnxNode>> qlinear_matmul(Importer& im, const OnnxNode& n) {
  Steps s(im, n);
  HW_TRY(const auto both, matrices(im, s, n));
  return quantized(s, n, s.add("MatMul", {both.first, both.second}), 6);
}

/// x − zero in f64; zeros along `axis` of several.
Result<std::string> moved(Importer& im, Steps& s, const OnnxNode& n, size_t i, size_t zero, int64_t axis) {
  const std::string wide = s.cast(input(n, i), DType::f64);
  if (!im.has(n, zero)) return wide;
  std::string from = s.cast(n.inputs[zero], DType::f64);
  HW_TRY(const Dims dims, im.open_dims(n, i));
  HW_TRY(const Dims zeros, im.open_dims(n, zero));
  if (zeros.size() == 1 && zeros[0] != 1) {
    std::vector<int64_t> sizes(dims.size(), 1);
    if (axis < 0) axis += static_cast<int64_t>(dims.size());
    if (axis < 0 || axis >= static_cast<int64_t>(dims.size())) return unsupported("its zero points do not fit.");
    sizes[static_cast<size_t>(axis)] = -1;
    from = s.add("Reshape", {from, s.integers(sizes)});
  }
  return s.add("Sub", {wide, from});
}

Result<std::vector<OnnxNode>> matmul_integer(Importer& im, const OnnxNode& n) {
  Steps s(im, n);
  HW_TRY(const std::string a, moved(im, s, n, 0, 2, -2));
  HW_TRY(const std::string b, moved(im, s, n, 1, 3, -1));
  s.give(0, s.cast(s.add("MatMul", {a, b}), DType::i32));
  return s.take();
}

Result<std::vector<OnnxNode>> conv_integer(Importer& im, const OnnxNode& n) {
  Steps s(im, n);
  HW_TRY(const std::string x, moved(im, s, n, 0, 2, 1));
  HW_TRY(const std::string w, moved(im, s, n, 1, 3, 0));
  s.give(0, s.cast(s.add("Conv", {x, w}, n.attributes), DType::i32));
  return s.take();
}

/// u8 with the scale and zero point that its own range has; their names.
std::vector<std::string> quantized_by_range(Steps& s, const std::string& x) {
  const std::string none = s.number(0, x), whole = s.number(255, x), one = s.number(1, x);
  const Steps::Attributes all{{"keepdims", int64_t{0}}};
  const std::string least = s.add("Min", {s.add("ReduceMin", {x}, all), none});
  const std::string most = s.add("Max", {s.add("ReduceMax", {x}, all), none});
  const std::string range = s.add("Div", {s.add("Sub", {most, least}), whole});
  const std::string scale = s.add("Where", {s.add("Equal", {range, none}), one, range});
  const std::string place = s.add("Round", {s.add("Div", {s.add("Sub", {none, least}), scale})});
  const std::string zero = s.cast(s.add("Clip", {place, none, whole}), DType::u8);
  return {s.add("QuantizeLinear", {x, scale, zero}), scale, zero};
}

Result<std::vector<OnnxNode>> dynamic_quantize(Importer& im, const OnnxNode& n) {
  Steps s(im, n);
  const std::vector<std::string> made = quantized_by_range(s, input(n, 0));
  for (size_t i = 0; i < made.size(); ++i) s.give(i, made[i]);
  return s.take();
}

Result<std::vector<OnnxNode>> matmul_to_float(Importer& im, const OnnxNode& n) {
  Steps s(im, n);
  HW_TRY(const Dims b, im.open_dims(n, 1));
  const std::string left = s.add("DequantizeLinear", {input(n, 0), input(n, 2), input(n, 4)});
  const std::string right = s.add("DequantizeLinear", {input(n, 1), input(n, 3), input(n, 5)},
                                  {{"axis", std::max<int64_t>(0, static_cast<int64_t>(b.size()) - 1)}});
  std::string y = s.add("MatMul", {left, right});
  if (im.has(n, 6)) y = s.add("Add", {y, n.inputs[6]});
  s.give(0, y);
  return s.take();
}

Result<std::vector<OnnxNode>> dynamic_matmul(Importer& im, const OnnxNode& n) {
  Steps s(im, n);
  HW_TRY(const Dims b, im.open_dims(n, 1));
  const std::vector<std::string> a = quantized_by_range(s, input(n, 0));
  const std::string left = s.add("DequantizeLinear", {a[0], a[1], a[2]});
  const std::string right = s.add("DequantizeLinear", {input(n, 1), input(n, 2), input(n, 3)},
                                  {{"axis", std::max<int64_t>(0, static_cast<int64_t>(b.size()) - 1)}});
  std::string y = s.add("MatMul", {left, right});
  if (im.has(n, 4)) y = s.add("Add", {y, n.inputs[4]});
  s.give(0, y);
  return s.take();
}

template <const char* op>
Result<std::vector<OnnxNode>> qlinear_both(Importer& im, const OnnxNode& n) {
  Steps s(im, n);
  const std::string a = dequantized(s, n, 0), b = dequantized(s, n, 3);
  return quantized(s, n, s.add(op, {a, b}), 6);
}

template <const char* op>
Result<std::vector<OnnxNode>> qlinear_one(Importer& im, const OnnxNode& n) {
  if (n.integer("channels_last", 0) != 0) return unsupported("channels that are the last axis.");
  Steps s(im, n);
  Steps::Attributes attributes = n.attributes;
  attributes.erase("channels_last");
  attributes.erase("opset");
  return quantized(s, n, s.add(op, {dequantized(s, n, 0)}, attributes), 3);
}

/// Before opset 13 a softmax is one over all axes from `axis` on.
Result<std::vector<OnnxNode>> qlinear_softmax(Importer& im, const OnnxNode& n) {
  HW_TRY(const Dims dims, im.open_dims(n, 0));
  const int64_t axis = n.integer("axis", -1);
  if (n.integer("opset", 13) < 13 && axis != -1 && axis != static_cast<int64_t>(dims.size()) - 1)
    return unsupported("a softmax over several axes.");
  Steps s(im, n);
  return quantized(s, n, s.add("Softmax", {dequantized(s, n, 0)}, {{"axis", axis}}), 3);
}

Result<std::vector<OnnxNode>> qlinear_concat(Importer& im, const OnnxNode& n) {
  Steps s(im, n);
  std::vector<std::string> parts;
  for (size_t i = 2; i + 2 < n.inputs.size(); i += 3) parts.push_back(dequantized(s, n, i));
  if (parts.empty()) return unsupported("it joins nothing.");
  return quantized(s, n, s.add("Concat", parts, {{"axis", n.integer("axis", 1)}}), 0);
}

Result<std::vector<OnnxNode>> qgemm(Importer& im, const OnnxNode& n) {
  Steps s(im, n);
  const bool turned = n.integer("transB", 0) != 0;
  const std::string a = dequantized(s, n, 0, 0), b = dequantized(s, n, 3, turned ? 0 : 1);
  const double alpha = n.real("alpha", 1);
  std::string y =
      s.add("Gemm", {a, b}, {{"alpha", alpha}, {"transA", n.integer("transA", 0)}, {"transB", n.integer("transB", 0)}});
  if (im.has(n, 6)) {
    std::string bias = dequantized_bias(s, n.inputs[6], n.inputs[1], n.inputs[4]);
    if (alpha != 1) bias = s.add("Mul", {bias, s.number(alpha, bias)});
    y = s.add("Add", {y, bias});
  }
  if (im.has(n, 7)) return quantized(s, n, y, 7);
  s.give(0, y);
  return s.take();
}

/// The same as the operator of ai.onnx.
template <const char* op>
Result<std::vector<OnnxNode>> same(Importer& im, const OnnxNode& n) {
  Steps s(im, n);
  s.give(0, s.add(op, n.inputs, n.attributes));
  return s.take();
}

constexpr char k_add[] = "Add", k_mul[] = "Mul", k_sigmoid[] = "Sigmoid", k_leaky_relu[] = "LeakyRelu",
               k_global_pool[] = "GlobalAveragePool", k_pool[] = "AveragePool", k_quantize[] = "QuantizeLinear",
               k_dequantize[] = "DequantizeLinear";

}  // namespace

std::span<const StepsRow> quantized_steps() {
  static constexpr const char* kFused = "com.microsoft";
  static constexpr StepsRow kRows[]{
      {"", "ConvInteger", conv_integer},
      {"", "DynamicQuantizeLinear", dynamic_quantize},
      {"", "MatMulInteger", matmul_integer},
      {"", "QLinearConv", qlinear_conv},
      {"", "QLinearMatMul", qlinear_matmul},
      {kFused, "DequantizeLinear", same<k_dequantize>},
      {kFused, "DynamicQuantizeMatMul", dynamic_matmul},
      {kFused, "MatMulIntegerToFloat", matmul_to_float},
      {kFused, "QGemm", qgemm},
      {kFused, "QLinearAdd", qlinear_both<k_add>},
      {kFused, "QLinearAveragePool", qlinear_one<k_pool>},
      {kFused, "QLinearConcat", qlinear_concat},
      {kFused, "QLinearGlobalAveragePool", qlinear_one<k_global_pool>},
      {kFused, "QLinearLeakyRelu", qlinear_one<k_leaky_relu>},
      {kFused, "QLinearMul", qlinear_both<k_mul>},
      {kFused, "QLinearSigmoid", qlinear_one<k_sigmoid>},
      {kFused, "QLinearSoftmax", qlinear_softmax},
      {kFused, "QuantizeLinear", same<k_quantize>},
  };
  return kRows;
}

}  // namespace hw::interop
