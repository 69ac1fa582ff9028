// Attention and Swish of opset 23 and newer.
#include <cmath>
#include <limits>
#include <numeric>

#include "app/interop/onnx/rules.h"

namespace hw::interop {
namespace {

const std::vector<double> kSwap{0, 2, 1, 3};  // [batch, tokens, heads, D] and [batch, heads, tokens, D]

/// [batch, tokens, heads · D] as [batch, heads, tokens, D]; one of four axes as it is.
Result<Wire> by_heads(Importer& im, const Wire& x, int64_t heads) {
  HW_TRY(const int64_t rank, im.rank(x));
  if (rank == 4) return x;
  if (rank != 3 || heads < 1) return unsupported("its inputs have neither three axes and a number of heads, nor four.");
  HW_TRY(const Wire split,
         im.add("unflatten", {{"x", x}}, {{"sizes", std::vector<double>{static_cast<double>(heads), -1}}}));
  return im.add("transpose", {{"x", split}}, {{"axes", kSwap}});
}

/// Each head of keys or values as often as queries share it.
Result<Wire> repeated(Importer& im, const Wire& x, int64_t heads, int64_t wanted) {
  if (heads == wanted) return x;
  if (heads < 1 || wanted % heads != 0 || wanted > kMost)
    return unsupported("the heads of its queries are no multiple of its keys'.");
  std::vector<double> rows;
  for (int64_t head = 0; head < wanted; ++head) rows.push_back(static_cast<double>(head / (wanted / heads)));
  HW_TRY(const Wire which, im.constant_wire(Tensor::from_f64(DType::i64, {wanted}, rows)));
  return im.add("gather", {{"x", x}, {"index", which}}, {{"axis", int64_t{1}}});
}

/// f64 [n]: 0, 1, … along an axis that has these sizes.
Result<Wire> counted(Importer& im, int64_t here, int64_t other) {
  if (here != other) {
    HW_TRY(const Wire places, im.indices(here, other));
    return im.cast(places, DType::f64);
  }
  if (here > kMost) return unsupported("a very large axis.");
  std::vector<double> numbers(static_cast<size_t>(here));
  std::iota(numbers.begin(), numbers.end(), 0.0);
  return im.constant_wire(Tensor::from_f64(DType::f64, {here}, numbers));
}

struct Heads {
  Wire q, k, v;  // [batch, heads, tokens, D], as many heads each
};

/// Scores that are made step by step: a mask of floats, a soft cap, keys of earlier calls.
Result<Wire> attended(Importer& im, const OnnxNode& n, const Heads& h, double scale, int64_t past) {
  HW_TRY(const WireType given, im.type(h.q));
  HW_TRY(const Wire turned, im.add("transpose", {{"x", h.k}}, {{"axes", std::vector<double>{0, 1, 3, 2}}}));
  HW_TRY(Wire scores, im.add("matmul", {{"a", h.q}, {"b", turned}}));
  HW_TRY(const Wire by, im.scalar(given.dtype, scale));
  HW_TRY(scores, im.add("mul", {{"a", scores}, {"b", by}}));
  HW_TRY(scores, im.widened(scores));
  HW_TRY(const WireType wide, im.type(scores));
  const double softcap = n.real("softcap", 0);
  // Opset 23 masks before it caps.
  const auto capped = [&]() -> Status {
    if (softcap <= 0) return ok();
    HW_TRY(const Wire cap, im.scalar(wide.dtype, softcap));
    HW_TRY(const Wire smaller, im.add("div", {{"a", scores}, {"b", cap}}));
    HW_TRY(const Wire bent, im.add("tanh", {{"x", smaller}}));
    HW_TRY(scores, im.add("mul", {{"a", bent}, {"b", cap}}));
    return ok();
  };
  HW_CHECK(capped());
  HW_TRY(const Wire none,
         im.constant_wire(Tensor::from_f64(wide.dtype, {1}, {{-std::numeric_limits<double>::infinity()}})));
  if (im.has(n, 3)) {
    HW_TRY(const Wire mask, im.in(n, 3));
    HW_TRY(const WireType kind, im.type(mask));
    if (kind.dtype == DType::boolean) {
      HW_TRY(scores, im.add("where", {{"condition", mask}, {"a", scores}, {"b", none}}));
    } else {
      HW_TRY(const Wire bias, im.cast(mask, wide.dtype));
      HW_TRY(scores, im.add("add", {{"a", scores}, {"b", bias}}));
    }
  }
  if (n.integer("is_causal", 0) != 0) {
    HW_TRY(const SizedDims q, im.sized_dims(h.q));
    HW_TRY(const SizedDims k, im.sized_dims(h.k));
    HW_TRY(Wire rows, counted(im, q.here[2], q.other[2]));
    HW_TRY(const Wire columns, counted(im, k.here[2], k.other[2]));
    HW_TRY(rows, im.add("unsqueeze", {{"x", rows}}, {{"axes", std::vector<double>{1}}}));
    HW_TRY(const Wire offset, im.scalar(DType::f64, static_cast<double>(past)));
    HW_TRY(rows, im.add("add", {{"a", rows}, {"b", offset}}));
    HW_TRY(const Wire seen,
           im.add("compare", {{"a", columns}, {"b", rows}}, {{"operation", std::string("less_equal")}}));
    HW_TRY(scores, im.add("where", {{"condition", seen}, {"a", scores}, {"b", none}}));
  }
  // A query that sees no key gives 0.
  HW_TRY(const Wire shares, im.add("softmax", {{"x", scores}}, {{"axis", int64_t{3}}}));
  HW_TRY(const Wire largest, im.add("reduce_max", {{"x", scores}}, {{"axes", std::vector<double>{3}}, {"keep", true}}));
  HW_TRY(const Wire blind, im.add("compare", {{"a", largest}, {"b", none}}, {{"operation", std::string("equal")}}));
  HW_TRY(const Wire zero, im.scalar(wide.dtype, 0));
  HW_TRY(Wire weights, im.add("where", {{"condition", blind}, {"a", zero}, {"b", shares}}));
  HW_TRY(weights, im.cast(weights, given.dtype));
  return im.add("matmul", {{"a", weights}, {"b", h.v}});
}

/// The mask fits the node of its own.
bool fits_node(Importer& im, const OnnxNode& n) {
  if (!im.has(n, 3)) return true;
  const auto mask = im.in(n, 3);
  const auto type = mask ? im.type(*mask) : Result<WireType>(mask.error());
  return type && type->dtype == DType::boolean && type->shape.rank() == 2;
}

Status attention(Importer& im, const OnnxNode& n) {
  if (im.wants(n, 3)) return unsupported("its scores are an output.");
  if (n.integer("left_window_size", -1) >= 0 || n.integer("right_window_size", -1) >= 0)
    return unsupported("its windows.");
  if (im.has(n, 6)) return unsupported("keys that are not all there (nonpad_kv_seqlen).");
  // Steps of other operators mean what opset 24 does.
  if (im.opset() == 23 && im.has(n, 3) && n.real("softcap", 0) > 0)
    return unsupported("a mask and a soft cap, as opset 23 has them.");
  HW_TRY(const Wire query, im.in(n, 0));
  HW_TRY(const Wire key, im.in(n, 1));
  HW_TRY(const Wire value, im.in(n, 2));
  HW_TRY(const int64_t rank, im.rank(query));
  Heads h;
  HW_TRY(h.q, by_heads(im, query, n.integer("q_num_heads", 0)));
  HW_TRY(h.k, by_heads(im, key, n.integer("kv_num_heads", 0)));
  HW_TRY(h.v, by_heads(im, value, n.integer("kv_num_heads", 0)));
  int64_t past = 0;
  if (im.has(n, 4)) {
    for (const size_t i : {4, 5}) {
      Wire& now = i == 4 ? h.k : h.v;
      HW_TRY(const Wire before, im.in(n, i));
      HW_TRY(const Dims dims, im.open_dims(before));
      if (dims.size() != 4) return unsupported("its keys of earlier calls do not have four axes.");
      if (dims[2] < 0) return unsupported("the number of its keys of earlier calls is symbolic.");
      past = dims[2];
      HW_TRY(now, im.add("concat", {{"a", before}, {"b", now}}, {{"axis", int64_t{2}}}));
    }
  }
  im.set(n, 1, h.k);
  im.set(n, 2, h.v);
  HW_TRY(const Dims q, im.open_dims(h.q));
  HW_TRY(const Dims k, im.open_dims(h.k));
  if (q[1] < 0 || k[1] < 0 || q[3] < 0) return unsupported("the number or size of its heads is symbolic.");
  HW_TRY(h.k, repeated(im, h.k, k[1], q[1]));
  HW_TRY(h.v, repeated(im, h.v, k[1], q[1]));
  const double scale = n.real("scale", 1 / std::sqrt(static_cast<double>(q[3])));
  const bool plain = past == 0 && n.real("softcap", 0) == 0 && scale > 0 && fits_node(im, n);
  Wire y;
  if (plain) {
    Wires inputs{{"query", h.q}, {"key", h.k}, {"value", h.v}};
    if (im.has(n, 3)) {
      HW_TRY(const Wire mask, im.in(n, 3));
      inputs.emplace_back("mask", mask);
    }
    HW_TRY(y, im.add("scaled_dot_product_attention", inputs,
                     {{"causal", n.integer("is_causal", 0) != 0}, {"scale", n.has("scale") ? scale : 0.0}}));
  } else {
    HW_TRY(y, attended(im, n, h, scale, past));
  }
  if (rank == 3) {
    HW_TRY(y, im.add("transpose", {{"x", y}}, {{"axes", kSwap}}));
    HW_TRY(y, im.add("flatten", {{"x", y}}, {{"first", int64_t{2}}}));
  }
  im.set(n, 0, y);
  return ok();
}

Status swish(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const WireType given, im.type(x));
  Wire steep = x;
  if (const double alpha = n.real("alpha", 1); alpha != 1) {
    HW_TRY(const Wire by, im.scalar(given.dtype, alpha));
    HW_TRY(steep, im.add("mul", {{"a", x}, {"b", by}}));
  }
  HW_TRY(const Wire gate, im.add("sigmoid", {{"x", steep}}));
  HW_TRY(const Wire y, im.add("mul", {{"a", x}, {"b", gate}}));
  im.set(n, 0, y);
  return ok();
}

}  // namespace

std::span<const RuleRow> attention_rules() {
  static constexpr RuleRow kRows[]{{"Attention", attention}, {"Swish", swish}};
  return kRows;
}

}  // namespace hw::interop
