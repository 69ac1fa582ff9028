// Attention as ONNX Runtime fuses it, and rotary embeddings.
#include <algorithm>
#include <cmath>
#include <limits>

#include "app/interop/onnx/rules.h"
#include "app/interop/onnx/steps.h"
#include "engine/core/sizes.h"

namespace hw::interop {
namespace {

constexpr const char* kBeyondLength =
    "GroupQueryAttention: tokens beyond the length of their row (seqlens_k) attend to all tokens before them; what "
    "ONNX "
    "Runtime gives there means nothing.";

std::string unsqueezed(Steps& s, const std::string& x, const std::vector<int64_t>& axes) {
  return s.add("Unsqueeze", {x, s.integers(axes)});
}

/// i64 [1]: the size of axis `axis`.
std::string size_of(Steps& s, const std::string& x, int64_t axis) {
  return s.add("Shape", {x}, {{"start", axis}, {"end", axis + 1}});
}

/// i64: whole numbers from one to below another, both [1].
std::string counted(Steps& s, const std::string& from, const std::string& to) {
  return s.add("Range", {s.add("Squeeze", {from}), s.add("Squeeze", {to}), s.add("Squeeze", {s.integers({1})})});
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
    const std::string places = counted(s, s.integers({0}), size_of(s, keys, 1));
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
  if (im.has(n, 4) || im.wants(n, 1)) return unsupported("past keys.");
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
    return unsupported("a KV cache that it writes into, or its scores as an output.");
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
    if (mask.size() == 1) return unsupported("lengths beside past keys.");
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

/// How the pairs of a head's elements lie that are turned together: beside each other, or in two halves.
struct Turns {
  int64_t heads = 0, rotary = 0;  // 0: as the sizes say
  bool pairs = false;
};

Turns turns_of(const OnnxNode& n) {
  return {n.integer("num_heads", 0), n.integer("rotary_embedding_dim", 0), n.integer("interleaved", 0) != 0};
}

/// x: [batch, heads, tokens, D] or [batch, tokens, heads · D]; `cosine` and `sine`: [batch, tokens, R / 2].
Result<std::string> rotated(Steps& s, std::string x, const Dims& dims, Turns turns, const std::string& cosine,
                            const std::string& sine, int64_t angles) {
  const bool by_heads = dims.size() == 4;
  if (!by_heads && dims.size() != 3) return unsupported("its input has neither three nor four axes.");
  auto& [heads, rotary, pairs] = turns;
  if (!by_heads && heads == 0 && dims[2] > 0 && angles > 0) heads = dims[2] / size_product({2, angles});
  if (!by_heads && (heads < 1 || dims[2] < 0)) return unsupported("the number of its heads is not known.");
  const int64_t size = by_heads ? dims[3] : dims[2] / heads;
  if (rotary == 0) rotary = size;
  if (rotary < 2 || rotary % 2 != 0 || rotary > size) return unsupported("an odd size of its heads.");
  const std::vector<int64_t> swap{0, 2, 1, 3};
  if (!by_heads) x = s.add("Transpose", {s.add("Reshape", {x, s.integers({0, 0, heads, -1})})}, {{"perm", swap}});
  std::string rest;
  if (rotary < size) {
    const auto parts = s.add_many("Split", {x, s.integers({rotary, size - rotary})}, {{"axis", int64_t{3}}}, 2);
    x = parts[0];
    rest = parts[1];
  }
  const std::string c = unsqueezed(s, cosine, {1}), d = unsqueezed(s, sine, {1});
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
  return y;
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
  HW_TRY(const Dims dims, im.open_dims(n, 0));
  HW_TRY(const std::string y, rotated(s, n.inputs[0], dims, turns_of(n), c, d, cosine.back()));
  s.give(0, y);
  return s.take();
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
    const std::string tokens = size_of(s, n.inputs[0], dims.size() == 4 ? 2 : 1);
    at = unsqueezed(s, s.add("Add", {counted(s, s.integers({0}), tokens), at}), {0});
  }
  const std::string c = s.add("Gather", {n.inputs[2], at}), d = s.add("Gather", {input(n, 3), at});
  HW_TRY(const std::string y, rotated(s, n.inputs[0], dims, turns_of(n), c, d, cosine[1]));
  s.give(0, y);
  return s.take();
}

/// New keys, or values, [batch, heads, tokens, D] behind the past ones. `before`, i64 [batch, 1]: how many of the past
/// ones each row has, where they are not all there; then the new ones follow at once, and zeros fill the end.
std::string appended(Steps& s, const std::string& past, const std::string& now, const std::string& before) {
  const std::string all = s.add("Concat", {past, now}, {{"axis", int64_t{2}}});
  if (before.empty()) return all;
  const std::string count = size_of(s, all, 2), given = size_of(s, past, 2), tokens = size_of(s, now, 2);
  const std::string places = unsqueezed(s, counted(s, s.integers({0}), count), {0});
  const std::string later = s.add("Add", {s.add("Sub", {places, before}), given});
  const std::string from = s.add("Where", {s.add("Less", {places, before}), places, later});
  const std::string last = s.add("Sub", {count, s.integers({1})});
  const std::string index = unsqueezed(s, s.add("Min", {from, last}), {1, 3});
  const std::string which = s.add("Expand", {index, s.add("Shape", {all})});
  const std::string moved = s.add("GatherElements", {all, which}, {{"axis", int64_t{2}}});
  const std::string there = unsqueezed(s, s.add("Less", {places, s.add("Add", {before, tokens})}), {1, 3});
  return s.add("Where", {there, moved, s.number(0, moved)});
}

/// Grouped heads: so many of queries, so many of keys and values that groups of these share, `size` elements each.
struct GroupedHeads {
  int64_t queries = 0, keys = 0, size = 0;
};

/// `dims`: sizes of input 0, queries alone or all three side by side.
Result<GroupedHeads> grouped_heads(Importer& im, const OnnxNode& n, const Dims& dims) {
  const int64_t queries = n.integer("num_heads", 0), keys = n.integer("kv_num_heads", 0);
  if (std::min(queries, keys) < 1 || std::max(queries, keys) > kMost)
    return unsupported("num_heads " + std::to_string(queries) + " and kv_num_heads " + std::to_string(keys) +
                       ", which are not both from 1 to " + std::to_string(kMost) + ".");
  const int64_t parts = im.has(n, 1) ? queries : queries + 2 * keys;
  if (dims.size() != 3 || dims[2] < 1 || dims[2] % parts != 0) return unsupported("its input does not fit its heads.");
  const GroupedHeads heads{queries, keys, dims[2] / parts};
  for (const size_t i : {1, 2}) {
    if (!im.has(n, i)) continue;
    HW_TRY(const Dims given, im.open_dims(n, i));
    if (given.size() != 3 || (given[2] >= 0 && given[2] != size_product({keys, heads.size})))
      return unsupported("its keys or values do not fit its heads.");
  }
  return heads;
}

/// What is known of the lengths of rows (seqlens_k).
struct RowLengths {
  bool no_past = false;  // there are no past keys
  bool all = false;      // each is the last place of all keys, past and new
  bool full() const { return no_past || all; }
};

/// Error: the KV cache has room for more keys than the past and the new ones.
Result<RowLengths> row_lengths(Importer& im, const OnnxNode& n) {
  HW_TRY(const SizedDims tokens, im.sized_dims(n, 0));
  SizedDims past{{0, 0, 0, 0}, {0, 0, 0, 0}};
  if (im.has(n, 3)) {
    HW_TRY(past, im.sized_dims(n, 3));
  }
  if (past.here.size() != 4) return unsupported("its past keys do not have four axes.");
  const int64_t here = size_sum({past.here[2], tokens.here[1]}), other = size_sum({past.other[2], tokens.other[1]});
  const auto are = [](const Tensor& t, int64_t wanted) {
    return std::ranges::all_of(t.to_f64(), [&](double value) { return value == static_cast<double>(wanted); });
  };
  const auto total = im.sized(n, 6);
  if (!total || total->here.size() != 1 || !are(total->here, here) || !are(total->other, other))
    return unsupported("a number of keys (total_sequence_length) that is not that of its past keys, " +
                       std::to_string(past.here[2]) + ", and its tokens, " + std::to_string(tokens.here[1]) +
                       ": a KV cache with room for more is not read.");
  const auto lengths = im.sized(n, 5);
  return RowLengths{.no_past = past.here[2] == 0 && past.other[2] == 0,
                    .all = lengths && are(lengths->here, here - 1) && are(lengths->other, other - 1)};
}

/// Turns the queries x[0] and the keys x[1] by the angles of their places, i64 [tokens] or [batch, tokens].
Status rotate_queries_and_keys(Importer& im, Steps& s, const OnnxNode& n, const GroupedHeads& heads, const Dims& dims,
                               const std::string& places, std::vector<std::string>& x) {
  HW_TRY(const Dims cosine, im.open_dims(n, 7));
  if (cosine.size() != 2) return unsupported("its cosines do not have two axes.");
  if (cosine[1] < 1 || cosine[1] > heads.size) return unsupported("its cosines do not fit the size of its heads.");
  const std::string at = im.has(n, 9) ? n.inputs[9] : places;
  const std::string c = s.add("Gather", {n.inputs[7], at}), d = s.add("Gather", {input(n, 8), at});
  for (const size_t i : {0, 1}) {
    const Turns turns{i == 0 ? heads.queries : heads.keys, 2 * cosine[1], n.integer("rotary_interleaved", 0) != 0};
    const Dims sizes{dims[0], dims[1], size_product({turns.heads, heads.size})};
    HW_TRY(x[i], rotated(s, x[i], sizes, turns, c, d, cosine[1]));
  }
  return ok();
}

/// Which `keys` the tokens at places `rows` see, as a mask of Attention: those up to their own place, the last
/// local_window_size of them alone, with the attention_bias of input 10.
std::string causal_mask(Importer& im, Steps& s, const OnnxNode& n, const std::string& keys, const std::string& rows) {
  const std::string columns = counted(s, s.integers({0}), size_of(s, keys, 2));
  std::string seen = s.add("LessOrEqual", {columns, rows});
  if (const int64_t window = n.integer("local_window_size", -1); window >= 0) {
    const std::string first = s.add("Sub", {rows, s.integers({window})});
    seen = s.add("And", {seen, s.add("Greater", {columns, first})});
  }
  if (!im.has(n, 10)) return seen;
  return s.add("Where", {seen, n.inputs[10], s.number(-std::numeric_limits<double>::infinity(), n.inputs[10])});
}

Status check_grouped_inputs(Importer& im, const OnnxNode& n) {
  if (n.integer("smooth_softmax", 0) > 0 || im.has(n, 11)) return unsupported("a sink beside its keys.");
  if (im.has(n, 12) || im.has(n, 13) || n.integer("kv_cache_bit_width", 0) != 0) return unsupported("quantised keys.");
  if (im.wants(n, 3)) return unsupported("its scores as an output.");
  if (im.has(n, 1) != im.has(n, 2) || im.has(n, 3) != im.has(n, 4)) return unsupported("keys without values.");
  if (!im.has(n, 5)) return unsupported("rows without lengths (seqlens_k).");
  return ok();
}

Result<std::vector<OnnxNode>> group_query_attention(Importer& im, const OnnxNode& n) {
  HW_CHECK(check_grouped_inputs(im, n));
  HW_TRY(const Dims dims, im.open_dims(n, 0));
  HW_TRY(const GroupedHeads heads, grouped_heads(im, n, dims));
  HW_TRY(const RowLengths lengths, row_lengths(im, n));
  if (lengths.no_past && !lengths.all) im.add_note(kBeyondLength);
  Steps s(im, n);
  std::vector<std::string> x{n.inputs[0], input(n, 1), input(n, 2)};
  if (!im.has(n, 1)) {
    const int64_t of_keys = size_product({heads.keys, heads.size});
    const std::string sizes = s.integers({size_product({heads.queries, heads.size}), of_keys, of_keys});
    x = s.add_many("Split", {n.inputs[0], sizes}, {{"axis", int64_t{2}}}, 3);
  }
  const std::string tokens = size_of(s, x[0], 1);
  std::string before, places = counted(s, s.integers({0}), tokens);  // [tokens], or [batch, tokens]
  if (!lengths.full()) {
    const std::string count = s.add("Add", {s.cast(n.inputs[5], DType::i64), s.integers({1})});
    before = s.reshape(s.add("Sub", {count, tokens}), {-1, 1});
    places = s.add("Add", {places, before});
  } else if (im.has(n, 3)) {
    places = s.add("Add", {places, size_of(s, n.inputs[3], 2)});
  }
  if (n.integer("do_rotary", 0) != 0) {
    const std::string at = lengths.full() ? unsqueezed(s, places, {0}) : places;
    HW_CHECK(rotate_queries_and_keys(im, s, n, heads, dims, at, x));
  }
  for (const size_t i : {1, 2}) {
    const std::string by_heads = s.reshape(x[i], {0, 0, heads.keys, heads.size});
    x[i] = s.add("Transpose", {by_heads}, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}});
    if (im.has(n, 3)) x[i] = appended(s, n.inputs[i + 2], x[i], before);
    s.give(i, x[i]);
  }
  Steps::Attributes attributes{{"q_num_heads", heads.queries}, {"kv_num_heads", heads.keys}};
  for (const char* name : {"scale", "softcap"})
    if (const double value = n.real(name, 0); value != 0) attributes[name] = value;
  if (!im.has(n, 3) && n.integer("local_window_size", -1) < 0 && !im.has(n, 10)) {
    attributes["is_causal"] = int64_t{1};
  } else {
    const std::vector<int64_t> axes = lengths.full() ? std::vector<int64_t>{1} : std::vector<int64_t>{1, 3};
    x.push_back(causal_mask(im, s, n, x[1], unsqueezed(s, places, axes)));
  }
  s.give(0, s.add("Attention", x, attributes));
  return s.take();
}

}  // namespace

std::span<const StepsRow> attention_steps() {
  static constexpr const char* kFused = "com.microsoft";
  static constexpr StepsRow kRows[]{
      {"", "RotaryEmbedding", rotary_embedding},
      {kFused, "Attention", packed_attention},
      {kFused, "GroupQueryAttention", group_query_attention},
      {kFused, "MultiHeadAttention", multi_head_attention},
      {kFused, "RotaryEmbedding", fused_rotary_embedding},
  };
  return kRows;
}

}  // namespace hw::interop
