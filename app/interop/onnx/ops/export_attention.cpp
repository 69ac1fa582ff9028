// Attention and rotary embeddings: operators of their own from opset 23 on, before that what they are made of.
#include <cmath>
#include <numeric>

#include "app/interop/onnx/exporter.h"
#include "engine/program/attention_ops.h"

namespace hw::interop {
namespace {

const std::vector<int64_t> kSwap{0, 2, 1, 3};  // [batch, tokens, heads, D] and [batch, heads, tokens, D]

/// What attends to what: [batch, heads, tokens, D] each.
struct Heads {
  std::string q, k, v;
  Axis queries, keys;  // how many
  DType dtype;
  std::optional<double> scale;  // none: 1 / √D
  int64_t size;                 // D
};

/// i64: 0, 1, … along axis 2 of a value.
std::string counted(Exporter& ex, const std::string& x, const Axis& axis) {
  if (!axis.known()) {
    const std::string size = ex.add("Shape", {x}, {{"start", int64_t{2}}, {"end", int64_t{3}}});
    const std::string count = ex.add("Squeeze", {size, ex.integers_value({0})});
    return ex.add("Range", {ex.scalar(DType::i64, 0), count, ex.scalar(DType::i64, 1)});
  }
  std::vector<int64_t> places(static_cast<size_t>(axis.size));
  std::iota(places.begin(), places.end(), 0);
  return ex.integers_value(places);
}

/// bool, stretches to the scores [batch, heads, queries, keys]: which keys may be seen; "": all.
std::string seen(Exporter& ex, const Heads& h) {
  std::string mask;
  if (ex.has("mask")) mask = ex.in("mask");
  if (ex.has("mask") && ex.rank("mask") == 3) mask = ex.add("Unsqueeze", {mask, ex.integers_value({1})});
  if (!ex.params().boolean("causal")) return mask;
  const std::string rows = ex.add("Unsqueeze", {counted(ex, h.q, h.queries), ex.integers_value({1})});
  const std::string before = ex.add("LessOrEqual", {counted(ex, h.k, h.keys), rows});
  return mask.empty() ? before : ex.add("And", {before, mask});
}

/// The roundings of the node: queries are scaled, scores and shares are in the dtype, products accumulate in f32.
std::string attended_by_parts(Exporter& ex, const Heads& h, const std::string& to) {
  const double scale = h.scale.value_or(1 / std::sqrt(static_cast<double>(h.size)));
  const DType wide = wide_of(h.dtype);
  const std::string asked = ex.add("Mul", {ex.converted(h.q, h.dtype, wide), ex.scalar(wide, scale)});
  const std::string turned = ex.add("Transpose", {h.k}, {{"perm", std::vector<int64_t>{0, 1, 3, 2}}});
  std::string scores = ex.add("MatMul", {ex.converted(asked, wide, h.dtype), turned});
  const std::string mask = seen(ex, h);
  if (!mask.empty()) scores = ex.add("Where", {mask, scores, ex.scalar(h.dtype, -info(h.dtype).max)});
  std::string shares = ex.add("Softmax", {scores}, {{"axis", int64_t{-1}}});
  if (!mask.empty()) shares = ex.add("Where", {mask, shares, ex.scalar(h.dtype, 0)});
  return ex.add("MatMul", {shares, h.v}, {}, to);
}

bool same_size(const Axis& a, const Axis& b) {
  return a.known() ? a.size == b.size : !a.symbol.empty() && a.symbol == b.symbol;
}

/// The mask says something of every query and key. The operator hides the keys beyond the end of a shorter one, and
/// ONNX Runtime before opset 28 refuses a mask of a single query.
bool mask_is_full(Exporter& ex, const Heads& h) {
  if (!ex.has("mask") || ex.params().boolean("causal")) return true;  // which makes one of all
  const Shape& mask = ex.type_in("mask").shape;
  return same_size(mask[mask.rank() - 1], h.keys) && same_size(mask[mask.rank() - 2], h.queries);
}

/// The operator of f32 alone: in which dtype it scales and adds narrow floats is left to the runtime.
std::string attended(Exporter& ex, const Heads& h, const std::string& to = {}) {
  if (ex.opset() < 23 || h.dtype != DType::f32 || !mask_is_full(ex, h)) return attended_by_parts(ex, h, to);
  Exporter::Attributes attributes;
  if (h.scale) attributes["scale"] = *h.scale;
  // Runtimes do not agree from which end is_causal counts where keys are more or fewer than queries.
  const bool causal = ex.params().boolean("causal"), by_attribute = causal && same_size(h.queries, h.keys);
  if (by_attribute && !ex.has("mask")) attributes["is_causal"] = int64_t{1};
  const std::string mask = by_attribute && !ex.has("mask") ? "" : seen(ex, h);
  if (mask.empty()) return ex.add("Attention", {h.q, h.k, h.v}, attributes, to);
  if (!ex.has("mask")) return ex.add("Attention", {h.q, h.k, h.v, mask}, attributes, to);
  // A query that sees no key gives 0 here; runtimes give that, the mean of all values, or NaN.
  const std::string all = ex.add("Attention", {h.q, h.k, h.v, mask}, attributes);
  const std::string most = ex.reduce("ReduceMax", ex.converted(mask, DType::boolean, DType::f32), {-1}, true);
  return ex.add("Where", {ex.converted(most, DType::f32, DType::boolean), all, ex.scalar(h.dtype, 0)}, {}, to);
}

Status scaled_dot_product_attention(Exporter& ex) {
  HW_CHECK(ex.computes_in_storage());
  const Shape &q = ex.type_in("query").shape, &k = ex.type_in("key").shape;
  const double scale = ex.params().real("scale");
  if (scale == 0 && !q[3].known())
    return unsupported("the size of its heads is symbolic, and its scale follows from that.");
  Heads h{ex.in("query"), ex.in("key"), ex.in("value"), q[2], k[2], ex.type_in("query").dtype, {}, q[3].size};
  if (scale != 0) h.scale = scale;
  attended(ex, h, ex.out("y"));
  return ok();
}

/// A Reshape to these sizes, of which several may be symbolic: those of `like` then.
std::string reshaped(Exporter& ex, const std::string& x, const Shape& shape, const std::string& like,
                     const std::string& to) {
  std::vector<int64_t> sizes;
  int open = 0;
  for (const Axis& axis : shape.axes()) {
    if (!axis.known()) ++open;
    sizes.push_back(axis.known() ? axis.size : -1);
  }
  return ex.add("Reshape", {x, open > 1 ? ex.add("Shape", {like}) : ex.integers_value(sizes)}, {}, to);
}

/// x [.., seq, D] turned by its places, in f32 (f64) and rounded once. Error: a size is symbolic.
Result<std::string> rotated(Exporter& ex, const std::string& x, const Shape& shape, DType dtype, double base,
                            bool interleaved, const std::string& to = {}) {
  const size_t rank = shape.rank();
  const Axis &tokens = shape[rank - 2], &size = shape[rank - 1];
  if (!tokens.known() || !size.known()) return unsupported("its angles follow from a symbolic number of tokens.");
  const DType wide = wide_of(dtype);
  const attention_ops::Turns turns = attention_ops::turns(tokens.size, size.size, base);
  const bool by_operator = ex.opset() >= 23 && wide == DType::f32;
  const auto table = [&](const std::vector<double>& values) {
    Dims dims{tokens.size, size.size / 2};
    if (by_operator) dims.insert(dims.begin(), 1);
    return ex.initializer(Tensor::from_f64(wide, dims, values));
  };
  const std::string cosines = table(turns.cosines), sines = table(turns.sines), whole = ex.converted(x, dtype, wide);
  const std::string last = dtype == wide ? to : "";
  std::string y;
  if (by_operator) {  // one row of as many heads as there are, so that one table serves
    const bool is_row = rank == 4 && shape[0].size == 1;
    const auto row = is_row ? whole : ex.add("Reshape", {whole, ex.integers_value({1, -1, tokens.size, size.size})});
    y = ex.add("RotaryEmbedding", {row, cosines, sines}, {{"interleaved", int64_t{interleaved ? 1 : 0}}},
               is_row ? last : "");
    if (!is_row) y = reshaped(ex, y, shape, x, last);
  } else {
    const auto half = [&](int64_t which) {
      const int64_t begin = interleaved ? which : which * size.size / 2;
      const int64_t end = interleaved ? size.size : (which + 1) * size.size / 2;
      return ex.add("Slice", {whole, ex.integers_value({begin}), ex.integers_value({end}), ex.integers_value({-1}),
                              ex.integers_value({interleaved ? 2 : 1})});
    };
    const std::string first = half(0), second = half(1);
    const auto product = [&](const std::string& a, const std::string& b) { return ex.add("Mul", {a, b}); };
    std::string real = ex.add("Sub", {product(first, cosines), product(second, sines)});
    std::string other = ex.add("Add", {product(second, cosines), product(first, sines)});
    if (interleaved)
      for (std::string* part : {&real, &other}) *part = ex.add("Unsqueeze", {*part, ex.integers_value({-1})});
    y = ex.add("Concat", {real, other}, {{"axis", int64_t{-1}}}, interleaved ? "" : last);
    if (interleaved) {
      std::vector<int64_t> sizes(rank, 0);
      sizes.back() = size.size;
      y = ex.add("Reshape", {y, ex.integers_value(sizes)}, {}, last);
    }
  }
  return dtype == wide ? y : ex.converted(y, wide, dtype, to);
}

Status rotary_embedding(Exporter& ex) {
  const WireType& x = ex.type_in("x");
  const auto y = rotated(ex, ex.in("x"), x.shape, x.dtype, ex.params().real("base"),
                         ex.params().text("pairs") == "interleaved", ex.out("y"));
  return y ? ok() : Status(y.error());
}

Status attention(Exporter& ex) {
  HW_CHECK(ex.computes_in_storage());
  const Params& p = ex.params();
  const std::string context = ex.has("context") ? "context" : "x";
  const Shape &x = ex.type_in("x").shape, &from = ex.type_in(context).shape;
  const DType dtype = p.dtype("dtype");
  const int64_t heads = p.integer("heads"), hidden = x[2].size, size = hidden / heads;
  const auto projected = [&](const std::string& socket, const std::string& name, bool biased) {
    const auto rows = ex.dense(ex.in(socket), 3, name, biased ? name + "_bias" : "");
    const auto parts = ex.add("Reshape", {rows, ex.integers_value({0, 0, heads, size})});
    return ex.add("Transpose", {parts}, {{"perm", kSwap}});
  };
  const bool biased = p.boolean("bias");
  Heads h{projected("x", "query", biased),
          projected(context, "key", false),
          projected(context, "value", biased),
          x[1],
          from[1],
          dtype,
          {},
          size};
  if (p.boolean("rotary")) {
    const auto turned = [&](const std::string& value, const Axis& batch, const Axis& tokens) {
      const Shape shape{batch, {"heads", heads, ""}, tokens, {"hidden", size, ""}};
      return rotated(ex, value, shape, dtype, p.real("rotary_base"), false);
    };
    HW_TRY(h.q, turned(h.q, x[0], x[1]));
    HW_TRY(h.k, turned(h.k, from[0], from[1]));
  }
  const auto tokens = ex.add("Transpose", {attended(ex, h)}, {{"perm", kSwap}});
  ex.dense(ex.add("Reshape", {tokens, ex.integers_value({0, 0, hidden})}), 3, "output", biased ? "output_bias" : "",
           ex.out("y"));
  return ok();
}

Status position_embedding(Exporter& ex) {
  ex.add("Add", {ex.in("x"), ex.weight("table")}, {}, ex.out("y"));
  return ok();
}

}  // namespace

std::span<const ExportRow> export_attention_rules() {
  static constexpr ExportRow kRows[]{
      {"attention", attention},
      {"position_embedding", position_embedding},
      {"rotary_embedding", rotary_embedding},
      {"scaled_dot_product_attention", scaled_dot_product_attention},
  };
  return kRows;
}

}  // namespace hw::interop
