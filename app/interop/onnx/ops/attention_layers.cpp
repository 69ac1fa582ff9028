// Attention as ONNX Runtime fuses it, and rotary embeddings.
#include <cmath>

#include "app/interop/onnx/rules.h"
#include "app/interop/onnx/steps.h"

namespace hw::interop {
namespace {

std::string unsqueezed(Steps& s, const std::string& x, const std::vector<int64_t>& axes) {
  return s.add("Unsqueeze", {x, s.integers(axes)});
}

/// What is added to scores [batch, heads, queries, keys] where input `mask` has a 0, or from a length on; input `bias`
/// is added to all. "": nothing is.
Result<std::string> added_to_scores(Importer& im, Steps& s, const OnnxNode& n, size_t mask, size_t bias,
                                    const std::string& keys) {
  std::string all = im.has(n, bias) ? n.inputs[bias] : "";
  if (!im.has(n, mask)) return all;
  HW_TRY(const Dims dims, im.open_dims(n, mask));
  HW_TRY(const Dims tokens, im.open_dims(n, 0));
  std::string kept = n.inputs[mask];
  if (tokens.empty()) return unsupported("its input has no axes.");
  if (dims.size() == 1 && dims[0] != tokens[0])
    return unsupported("where its rows begin and end (a mask of one axis).");
  if (dims.size() == 1) {
    const std::string count = s.add("Squeeze", {s.add("Shape", {keys}, {{"start", int64_t{1}}, {"end", int64_t{2}}})});
    const std::string zero = s.add("Squeeze", {s.integers({0})}), one = s.add("Squeeze", {s.integers({1})});
    const std::string places = s.add("Range", {zero, count, one});
    kept = s.add("Less", {places, s.cast(unsqueezed(s, kept, {1}), DType::i64)});
  } else if (dims.size() > 3) {
    return unsupported("a mask of four axes.");
  }
  if (dims.size() != 1) kept = s.add("Greater", {kept, s.number(0, kept)});
  kept =
      unsqueezed(s, s.cast(kept, DType::f32), dims.size() == 3 ? std::vector<int64_t>{1} : std::vector<int64_t>{1, 2});
  const std::string gone = s.add("Sub", {s.number(1, kept), kept});
  const std::string minus = s.add("Mul", {gone, s.number(n.real("mask_filter_value", -10000), gone)});
  return all.empty() ? minus : s.add("Add", {minus, s.cast(all, DType::f32)});
}

/// The operator of ai.onnx. Outputs 1 and 2 of `n`: all keys and values, where it has such.
void attend(Steps& s, const OnnxNode& n, const std::vector<std::string>& inputs, int64_t heads) {
  Steps::Attributes attributes{
      {"q_num_heads", heads}, {"kv_num_heads", heads}, {"is_causal", n.integer("unidirectional", 0)}};
  if (const double scale = n.real("scale", 0); scale != 0) attributes["scale"] = scale;
  const std::vector<std::string> made = s.add_many("Attention", inputs, attributes, 3);
  for (size_t i = 0; i < made.size(); ++i) s.give(i, made[i]);
}

/// Attention of one input, and the weights of queries, keys and values beside each other.
Result<std::vector<OnnxNode>> packed_attention(Importer& im, const OnnxNode& n) {
  if (im.has(n, 4) || im.wants(n, 1)) return unsupported("keys of earlier calls.");
  if (n.integer("do_rotary", 0) != 0) return unsupported("its rotary embedding.");
  const int64_t heads = n.integer("num_heads", 0);
  HW_TRY(const Dims weights, im.open_dims(n, 1));
  std::vector<int64_t> sizes = n.integers("qkv_hidden_sizes");
  if (sizes.empty() && weights.size() == 2 && weights[1] > 0) sizes.assign(3, weights[1] / 3);
  if (heads < 1 || weights.size() != 2 || sizes.size() != 3 || sizes[0] + sizes[1] + sizes[2] != weights[1])
    return unsupported("its weights do not fit its heads.");
  Steps s(im, n);
  std::string all = s.add("MatMul", {input(n, 0), n.inputs[1]});
  if (im.has(n, 2)) all = s.add("Add", {all, n.inputs[2]});
  std::vector<std::string> inputs = s.add_many("Split", {all, s.integers(sizes)}, {{"axis", int64_t{2}}}, 3);
  HW_TRY(const std::string scores, added_to_scores(im, s, n, 3, 5, inputs[1]));
  inputs.push_back(scores);
  attend(s, n, inputs, heads);
  return s.take();
}

Result<std::vector<OnnxNode>> multi_head_attention(Importer& im, const OnnxNode& n) {
  if (!im.has(n, 1) || !im.has(n, 2)) return unsupported("queries, keys and values in one tensor.");
  if (im.has(n, 8) || im.has(n, 9) || im.wants(n, 3))
    return unsupported("a buffer of keys, or its scores as an output.");
  const int64_t heads = n.integer("num_heads", 0);
  HW_TRY(const Dims queries, im.open_dims(n, 0));
  HW_TRY(const Dims keys, im.open_dims(n, 1));
  if (queries.size() != 3 || keys.size() < 3) return unsupported("its inputs do not have three or four axes.");
  if (n.integer("unidirectional", 0) != 0 && queries[1] != keys[keys.size() - 2])
    return unsupported("what queries see of another number of keys (unidirectional).");
  Steps s(im, n);
  std::vector<std::string> inputs{n.inputs[0], n.inputs[1], n.inputs[2]};
  if (im.has(n, 3)) {
    std::vector<int64_t> sizes;
    for (const size_t i : {0, 1, 2}) {
      HW_TRY(const Dims dims, im.open_dims(n, i));
      if (dims.size() != 3) return unsupported("a bias of keys that are split into heads.");
      sizes.push_back(dims[2]);
    }
    const auto biases = s.add_many("Split", {n.inputs[3], s.integers(sizes)}, {{"axis", int64_t{0}}}, 3);
    for (const size_t i : {0, 1, 2}) inputs[i] = s.add("Add", {inputs[i], biases[i]});
  }
  if (im.has(n, 6) && im.has(n, 4)) {
    HW_TRY(const Dims mask, im.open_dims(n, 4));
    if (mask.size() == 1) return unsupported("lengths beside keys of earlier calls.");
  }
  const std::string by_tokens =
      keys.size() == 4 ? s.add("Transpose", {n.inputs[1]}, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}}) : n.inputs[1];
  HW_TRY(const std::string scores, added_to_scores(im, s, n, 4, 5, by_tokens));
  inputs.push_back(scores);
  if (im.has(n, 6)) {
    inputs.push_back(n.inputs[6]);
    inputs.push_back(input(n, 7));
  }
  attend(s, n, inputs, heads);
  return s.take();
}

/// [batch, heads, tokens, D] or [batch, tokens, heads · D]; `cosine` and `sine`: [batch, tokens, R / 2].
Result<std::vector<OnnxNode>> rotated(Importer& im, Steps& s, const OnnxNode& n, const std::string& cosine,
                                      const std::string& sine, int64_t angles) {
  HW_TRY(const Dims dims, im.open_dims(n, 0));
  const bool by_heads = dims.size() == 4;
  if (!by_heads && dims.size() != 3) return unsupported("its input has neither three nor four axes.");
  int64_t rotary = n.integer("rotary_embedding_dim", 0), heads = n.integer("num_heads", 0);
  if (!by_heads && heads == 0 && dims[2] > 0 && angles > 0) heads = dims[2] / (2 * angles);
  if (!by_heads && (heads < 1 || dims[2] < 0)) return unsupported("the number of its heads is not known.");
  const int64_t size = by_heads ? dims[3] : dims[2] / heads;
  if (rotary == 0) rotary = size;
  if (rotary < 2 || rotary % 2 != 0 || rotary > size) return unsupported("an odd size of its heads.");
  std::string x = n.inputs[0];
  const std::vector<int64_t> swap{0, 2, 1, 3};
  if (!by_heads) x = s.add("Transpose", {s.add("Reshape", {x, s.integers({0, 0, heads, -1})})}, {{"perm", swap}});
  std::string rest;
  if (rotary < size) {
    const auto parts = s.add_many("Split", {x, s.integers({rotary, size - rotary})}, {{"axis", int64_t{3}}}, 2);
    x = parts[0];
    rest = parts[1];
  }
  const std::string c = unsqueezed(s, cosine, {1}), d = unsqueezed(s, sine, {1});
  const bool pairs = n.integer("interleaved", 0) != 0;
  const Steps::Attributes last{{"axis", int64_t{-1}}};
  std::string one, other;
  if (pairs) {
    const std::string by_two = s.add("Reshape", {x, s.integers({0, 0, 0, rotary / 2, 2})});
    one = s.add("Gather", {by_two, s.add("Squeeze", {s.integers({0})})}, last);
    other = s.add("Gather", {by_two, s.add("Squeeze", {s.integers({1})})}, last);
  } else {
    const auto halves = s.add_many("Split", {x, s.integers({rotary / 2, rotary / 2})}, last, 2);
    one = halves[0];
    other = halves[1];
  }
  const std::string real = s.add("Sub", {s.add("Mul", {c, one}), s.add("Mul", {d, other})});
  const std::string imaginary = s.add("Add", {s.add("Mul", {d, one}), s.add("Mul", {c, other})});
  std::string y;
  if (pairs) {
    const std::string both = s.add("Concat", {unsqueezed(s, real, {-1}), unsqueezed(s, imaginary, {-1})}, last);
    y = s.add("Reshape", {both, s.integers({0, 0, 0, rotary})});
  } else {
    y = s.add("Concat", {real, imaginary}, last);
  }
  if (!rest.empty()) y = s.add("Concat", {y, rest}, last);
  if (!by_heads) y = s.add("Reshape", {s.add("Transpose", {y}, {{"perm", swap}}), s.integers({0, 0, heads * size})});
  s.give(0, y);
  return s.take();
}

Result<std::vector<OnnxNode>> rotary_embedding(Importer& im, const OnnxNode& n) {
  HW_TRY(const Dims cosine, im.open_dims(n, 1));
  if (cosine.empty()) return unsupported("its cosines have no axes.");
  Steps s(im, n);
  std::string c = n.inputs[1], d = input(n, 2);
  if (im.has(n, 3)) {
    c = s.add("Gather", {c, n.inputs[3]});
    d = s.add("Gather", {d, n.inputs[3]});
  }
  return rotated(im, s, n, c, d, cosine.back());
}

Result<std::vector<OnnxNode>> fused_rotary_embedding(Importer& im, const OnnxNode& n) {
  if (n.integer("is_packed_batching", 0) != 0) return unsupported("rows of several lengths in one.");
  HW_TRY(const Dims places, im.open_dims(n, 1));
  HW_TRY(const Dims cosine, im.open_dims(n, 2));
  HW_TRY(const Dims dims, im.open_dims(n, 0));
  if (cosine.size() != 2 || dims.size() < 3) return unsupported("its cosines do not have two axes.");
  Steps s(im, n);
  std::string at = n.inputs[1];
  if (places.size() == 1) {  // of the first token
    const int64_t axis = dims.size() == 4 ? 2 : 1;
    const std::string count = s.add("Squeeze", {s.add("Shape", {n.inputs[0]}, {{"start", axis}, {"end", axis + 1}})});
    const std::string zero = s.add("Squeeze", {s.integers({0})}), one = s.add("Squeeze", {s.integers({1})});
    at = unsqueezed(s, s.add("Add", {s.add("Range", {zero, count, one}), at}), {0});
  }
  return rotated(im, s, n, s.add("Gather", {n.inputs[2], at}), s.add("Gather", {input(n, 3), at}), cosine[1]);
}

}  // namespace

std::span<const StepsRow> attention_steps() {
  static constexpr const char* kFused = "com.microsoft";
  static constexpr StepsRow kRows[]{
      {"", "RotaryEmbedding", rotary_embedding},
      {kFused, "Attention", packed_attention},
      {kFused, "MultiHeadAttention", multi_head_attention},
      {kFused, "RotaryEmbedding", fused_rotary_embedding},
  };
  return kRows;
}

}  // namespace hw::interop
