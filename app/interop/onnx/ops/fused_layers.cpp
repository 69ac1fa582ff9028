// Layers that ONNX Runtime fuses: operators of com.microsoft.
#include <cmath>

#include "app/interop/onnx/rules.h"
#include "app/interop/onnx/steps.h"

namespace hw::interop {
namespace {

/// With the bias of input i, where it is there.
std::string biased(Steps& s, const OnnxNode& n, const std::string& x, size_t i) {
  return input(n, i).empty() ? x : s.add("Add", {x, n.inputs[i]});
}

Result<std::vector<OnnxNode>> gelu(Importer& im, const OnnxNode& n) {
  Steps s(im, n);
  const bool by_tanh = n.op == "FastGelu";
  s.give(0, s.add("Gelu", {biased(s, n, input(n, 0), 1)}, {{"approximate", std::string(by_tanh ? "tanh" : "none")}}));
  return s.take();
}

Result<std::vector<OnnxNode>> quick_gelu(Importer& im, const OnnxNode& n) {
  Steps s(im, n);
  const std::string x = input(n, 0), steep = s.add("Mul", {x, s.number(n.real("alpha", 1.702), x)});
  s.give(0, s.add("Mul", {x, s.add("Sigmoid", {steep})}));
  return s.take();
}

/// The halves of the last axis: x · gelu(gate).
Result<std::vector<OnnxNode>> bias_split_gelu(Importer& im, const OnnxNode& n) {
  Steps s(im, n);
  const auto halves =
      s.add_many("Split", {biased(s, n, input(n, 0), 1)}, {{"axis", int64_t{-1}}, {"num_outputs", int64_t{2}}}, 2);
  s.give(0, s.add("Mul", {halves[0], s.add("Gelu", {halves[1]})}));
  return s.take();
}

/// Its last two axes swapped.
Result<std::string> swapped(Importer& im, Steps& s, const OnnxNode& n, size_t i) {
  HW_TRY(const Dims dims, im.open_dims(n, i));
  if (dims.size() < 2) return n.inputs[i];
  std::vector<int64_t> perm;
  for (size_t d = 0; d < dims.size(); ++d) perm.push_back(static_cast<int64_t>(d));
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return s.add("Transpose", {n.inputs[i]}, {{"perm", perm}});
}

Result<std::vector<OnnxNode>> fused_matmul(Importer& im, const OnnxNode& n) {
  if (n.integer("transBatchA", 0) != 0 || n.integer("transBatchB", 0) != 0)
    return unsupported("a batch axis that is turned (transBatchA, transBatchB).");
  Steps s(im, n);
  std::string a = input(n, 0), b = input(n, 1);
  if (n.integer("transA", 0) != 0) {
    HW_TRY(a, swapped(im, s, n, 0));
  }
  if (n.integer("transB", 0) != 0) {
    HW_TRY(b, swapped(im, s, n, 1));
  }
  std::string y = s.add("MatMul", {a, b});
  if (const double alpha = n.real("alpha", 1); alpha != 1) y = s.add("Mul", {y, s.number(alpha, y)});
  s.give(0, y);
  return s.take();
}

/// What a fused layer does last. Error: it is not known.
Result<std::string> activated(Steps& s, const OnnxNode& n, const std::string& y, const std::string& name,
                              const std::vector<double>& params) {
  const auto param = [&](size_t i, double otherwise) { return i < params.size() ? params[i] : otherwise; };
  if (name.empty()) return y;
  if (name == "Relu" || name == "Sigmoid" || name == "Tanh" || name == "Softplus" || name == "Softsign" ||
      name == "HardSwish")
    return s.add(name, {y});
  if (name == "LeakyRelu") return s.add(name, {y}, {{"alpha", param(0, n.real("activation_alpha", 0.01))}});
  if (name == "HardSigmoid")
    return s.add(
        name, {y},
        {{"alpha", param(0, n.real("activation_alpha", 0.2))}, {"beta", param(1, n.real("activation_beta", 0.5))}});
  if (name == "Clip" && params.size() == 2) return s.add(name, {y, s.number(params[0], y), s.number(params[1], y)});
  return unsupported("its activation " + name + ".");
}

Steps::Attributes without(Steps::Attributes all, std::initializer_list<const char*> names) {
  for (const char* name : names) all.erase(name);
  return all;
}

/// act(conv(x, w) + b + z).
Result<std::vector<OnnxNode>> fused_conv(Importer& im, const OnnxNode& n) {
  Steps s(im, n);
  std::vector<std::string> inputs{input(n, 0), input(n, 1)};
  if (im.has(n, 2)) inputs.push_back(n.inputs[2]);
  std::string y = s.add("Conv", inputs, without(n.attributes, {"activation", "activation_params"}));
  y = biased(s, n, y, 3);
  HW_TRY(y, activated(s, n, y, n.text("activation", ""), n.reals("activation_params")));
  s.give(0, y);
  return s.take();
}

Result<std::vector<OnnxNode>> fused_gemm(Importer& im, const OnnxNode& n) {
  Steps s(im, n);
  std::string y =
      s.add("Gemm", n.inputs,
            without(n.attributes, {"activation", "activation_alpha", "activation_beta", "activation_gamma"}));
  HW_TRY(y, activated(s, n, y, n.text("activation", ""), {}));
  s.give(0, y);
  return s.take();
}

/// Along the last axis: a LayerNormalization, or without `by_mean` an RMSNormalization.
std::string normalized(Steps& s, const OnnxNode& n, const std::string& x, bool by_mean, const std::string& scale,
                       const std::string& shift) {
  const Steps::Attributes attributes{{"axis", int64_t{-1}}, {"epsilon", n.real("epsilon", 1e-12)}};
  if (!by_mean) return s.add("RMSNormalization", {x, scale}, attributes);
  std::vector<std::string> inputs{x, scale};
  if (!shift.empty()) inputs.push_back(shift);
  return s.add("LayerNormalization", inputs, attributes);
}

/// The norm of x + skip + bias; the sum is output 3.
Result<std::vector<OnnxNode>> skip_norm(Importer& im, const OnnxNode& n) {
  if (im.wants(n, 1) || im.wants(n, 2)) return unsupported("its mean and deviation are outputs.");
  const bool by_mean = n.op == "SkipLayerNormalization";
  Steps s(im, n);
  std::string sum = s.add("Add", {input(n, 0), input(n, 1)});
  sum = biased(s, n, sum, by_mean ? 4 : 3);
  s.give(0, normalized(s, n, sum, by_mean, input(n, 2), by_mean ? input(n, 3) : ""));
  s.give(3, sum);
  return s.take();
}

/// RMSNormalization before it was one of ai.onnx.
Result<std::vector<OnnxNode>> simplified_norm(Importer& im, const OnnxNode& n) {
  if (im.wants(n, 1)) return unsupported("its deviation is an output.");
  Steps s(im, n);
  s.give(0, s.add("RMSNormalization", {input(n, 0), input(n, 1)},
                  {{"axis", n.integer("axis", -1)}, {"epsilon", n.real("epsilon", 1e-5)}}));
  return s.take();
}

/// Words, places and segments, added and normalized; the sum is output 2.
Result<std::vector<OnnxNode>> embed_norm(Importer& im, const OnnxNode& n) {
  Steps s(im, n);
  std::string sum = s.add("Gather", {input(n, 2), input(n, 0)});
  if (im.has(n, 8)) {
    sum = s.add("Add", {sum, s.add("Gather", {input(n, 3), n.inputs[8]})});
  } else {
    const std::string tokens = s.add("Shape", {input(n, 0)}, {{"start", int64_t{1}}, {"end", int64_t{2}}});
    const std::string zero = s.integers({0});
    sum = s.add("Add", {sum, s.add("Slice", {input(n, 3), zero, tokens, zero})});
  }
  if (im.has(n, 1)) sum = s.add("Add", {sum, s.add("Gather", {input(n, 4), n.inputs[1]})});
  s.give(0, normalized(s, n, sum, true, input(n, 5), input(n, 6)));
  if (im.wants(n, 1)) {  // how many tokens of each row are there
    if (!im.has(n, 7)) return unsupported("its mask is an output, and there is no mask.");
    s.give(1, s.add("ReduceSum", {n.inputs[7], s.integers({1})}, {{"keepdims", int64_t{0}}}));
  }
  s.give(2, sum);
  return s.take();
}

Result<std::vector<OnnxNode>> bias_add(Importer& im, const OnnxNode& n) {
  Steps s(im, n);
  s.give(0, s.add("Add", {s.add("Add", {input(n, 0), input(n, 1)}), input(n, 2)}));
  return s.take();
}

/// The last axis has the channels.
Result<std::vector<OnnxNode>> group_norm(Importer& im, const OnnxNode& n) {
  const bool skips = n.op == "SkipGroupNorm";
  HW_TRY(const Dims dims, im.open_dims(n, 0));
  if (dims.size() != 4) return unsupported("its input does not have four axes.");
  const std::vector<int64_t> first{0, 3, 1, 2}, last{0, 2, 3, 1};
  const bool is_last = n.integer("channels_last", 1) != 0;
  Steps s(im, n);
  std::string x = input(n, 0);
  if (skips) {
    x = biased(s, n, s.add("Add", {x, input(n, 3)}), 4);
    s.give(1, x);
  }
  if (is_last) x = s.add("Transpose", {x}, {{"perm", first}});
  std::string y = s.add("GroupNormalization", {x, input(n, 1), input(n, 2)},
                        {{"num_groups", n.integer("groups", 1)}, {"epsilon", n.real("epsilon", 1e-5)}});
  if (n.integer("activation", 0) == 1) y = s.add("Mul", {y, s.add("Sigmoid", {y})});
  if (is_last) y = s.add("Transpose", {y}, {{"perm", last}});
  s.give(0, y);
  return s.take();
}

/// Whole numbers of `bits` bits, the first in the lowest ones.
int64_t number_at(const uint8_t* bytes, int64_t i, int64_t bits) {
  const int64_t first = i * bits, in_byte = first % 8;
  int64_t value = bytes[first / 8] >> in_byte;
  if (in_byte + bits > 8) value |= int64_t{bytes[first / 8 + 1]} << (8 - in_byte);
  return value & ((int64_t{1} << bits) - 1);
}

/// f32 [K, N] of weights [N, blocks, bytes], with a scale and a zero point for each block along K.
Result<Tensor> unpacked(Importer& im, const OnnxNode& n) {
  const int64_t bits = n.integer("bits", 4), block = n.integer("block_size", 0);
  const int64_t rows = n.integer("N", 0), columns = n.integer("K", 0);
  if (im.has(n, 4)) return unsupported("rows in an order of their own (g_idx).");
  if (bits < 2 || bits > 8 || block < 1 || block > kMost || rows < 1 || columns < 1 || rows > kMost ||
      columns > (kMost * 64) / rows)
    return unsupported("its sizes.");
  const Tensor *packed = im.bound(n, 1), *scales = im.bound(n, 2), *zeros = im.bound(n, 3);
  if (!packed || !scales || (im.has(n, 3) && !zeros)) return unsupported("its weights are computed.");
  const int64_t blocks = (columns + block - 1) / block, bytes = (block * bits + 7) / 8;
  const int64_t zero_bytes = (blocks * bits + 7) / 8;
  if (packed->dtype() != DType::u8 || packed->size() != rows * blocks * bytes || scales->size() != rows * blocks ||
      (zeros && zeros->size() != rows * (zeros->dtype() == DType::u8 ? zero_bytes : blocks)))
    return unsupported("its weights do not fit its sizes.");
  const std::vector<double> scale = scales->to_f64();
  const std::vector<double> zero = zeros && zeros->dtype() != DType::u8 ? zeros->to_f64() : std::vector<double>();
  Tensor made(DType::f32, {columns, rows});
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t k = 0; k < columns; ++k) {
      const int64_t at = row * blocks + k / block;
      const double from = !zero.empty() ? zero[static_cast<size_t>(at)]
                          : zeros
                              ? static_cast<double>(number_at(zeros->as<uint8_t>() + row * zero_bytes, k / block, bits))
                              : std::ldexp(1.0, static_cast<int>(bits) - 1);
      const auto x = static_cast<double>(number_at(packed->as<uint8_t>() + at * bytes, k % block, bits));
      made.as<float>()[k * rows + row] = static_cast<float>((x - from) * scale[static_cast<size_t>(at)]);
    }
  return made;
}

Result<std::vector<OnnxNode>> matmul_bits(Importer& im, const OnnxNode& n) {
  HW_TRY(Tensor floats, unpacked(im, n));
  OnnxNode weight;
  weight.outputs = {im.own_name(n.outputs.at(0) + "/weight")};
  im.set_dequantized(weight, std::move(floats));
  Steps s(im, n);
  const std::string y = s.add("MatMul", {input(n, 0), s.add("CastLike", {weight.outputs[0], input(n, 0)})});
  s.give(0, biased(s, n, y, 5));
  return s.take();
}

}  // namespace

std::span<const StepsRow> fused_steps() {
  static constexpr const char* kFused = "com.microsoft";
  static constexpr StepsRow kRows[]{
      {"", "SimplifiedLayerNormalization", simplified_norm},
      {kFused, "BiasAdd", bias_add},
      {kFused, "BiasGelu", gelu},
      {kFused, "BiasSplitGelu", bias_split_gelu},
      {kFused, "EmbedLayerNormalization", embed_norm},
      {kFused, "FastGelu", gelu},
      {kFused, "FusedConv", fused_conv},
      {kFused, "FusedGemm", fused_gemm},
      {kFused, "FusedMatMul", fused_matmul},
      {kFused, "Gelu", gelu},
      {kFused, "GroupNorm", group_norm},
      {kFused, "MatMulNBits", matmul_bits},
      {kFused, "QuickGelu", quick_gelu},
      {kFused, "SimplifiedLayerNormalization", simplified_norm},
      {kFused, "SkipGroupNorm", group_norm},
      {kFused, "SkipLayerNormalization", skip_norm},
      {kFused, "SkipSimplifiedLayerNormalization", skip_norm},
  };
  return kRows;
}

}  // namespace hw::interop
