#include "engine/program/attention_ops.h"

#include <cmath>
#include <numeric>

namespace hw::attention_ops {
namespace {

// 0, 1, .. count − 1 as f32 (exact up to 2^24), of these sizes.
Val counted(OpBuilder& b, int64_t count, Dims dims) {
  std::vector<double> numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0.0);
  return b.constant(Tensor::from_f64(DType::f32, std::move(dims), numbers));
}

// The order that swaps the last two axes.
std::vector<int> swapped_last(int rank) {
  std::vector<int> order(static_cast<size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[static_cast<size_t>(rank) - 2], order[static_cast<size_t>(rank) - 1]);
  return order;
}

// x where `seen`, else `number`.
Val seen_or(OpBuilder& b, Val seen, Val x, double number) {
  if (!b.status()) return {};
  return b.where(seen, x, b.constant(Tensor::from_f64(b[x].dtype, {}, {{number}})));
}

// x with 0 for NaN and Inf, so that a product with a share of 0 is 0; and for each of its rows [.., 1] what that took
// away: 0 where all was finite, else NaN.
struct Finite {
  Val x, spoilt;
};
Finite finite(OpBuilder& b, Val x) {
  if (!b.status()) return {};
  const Val zero = b.stop_gradient(b.scale(x, 0));  // 0 · NaN and 0 · Inf are NaN
  return {seen_or(b, b.compare(CompareFn::equal, zero, zero), x, 0),
          b.sum(zero, {static_cast<int>(b[x].dims.size()) - 1}, true)};
}

// Which keys a query may see: each of these, which broadcast to the scores [.., queries, keys].
std::vector<Val> masks(OpBuilder& b, const Options& options, int64_t queries, int64_t keys) {
  std::vector<Val> all;
  if (options.causal)
    all.push_back(b.compare(CompareFn::less_equal, counted(b, keys, {1, keys}), counted(b, queries, {queries, 1})));
  if (options.mask) all.push_back(options.mask);
  return all;
}

}  // namespace

Val attention(OpBuilder& b, Val q, Val k, Val v, const Options& options) {
  if (!b.status()) return {};
  const auto rank = static_cast<int>(b[q].dims.size());
  const double scale = options.scale.value_or(1 / std::sqrt(static_cast<double>(b[q].dims.back())));
  const Val asked = b.scale(q, scale);
  const std::vector<Val> seen =
      masks(b, options, b[q].dims[static_cast<size_t>(rank) - 2], b[k].dims[static_cast<size_t>(rank) - 2]);
  if (seen.empty()) {
    const Val scores = b.batch_matmul(asked, k, false, true, options.compute);
    return b.batch_matmul(b.softmax(scores, rank - 1), v, false, false, options.compute);
  }
  const Finite queries = finite(b, asked), keys = finite(b, k), values = finite(b, v);
  Val scores = b.batch_matmul(queries.x, keys.x, false, true, options.compute);
  // A pair that has NaN or Inf on a side is NaN, and so is a row that sees one.
  scores = b.add(b.add(scores, queries.spoilt), b.transpose(b.add(keys.spoilt, values.spoilt), swapped_last(rank)));
  if (!b.status()) return {};
  for (const Val mask : seen) scores = seen_or(b, mask, scores, -info(b[scores].dtype).max);
  Val shares = b.softmax(scores, rank - 1);
  for (const Val mask : seen) shares = seen_or(b, mask, shares, 0);
  return b.batch_matmul(shares, values.x, false, false, options.compute);
}

Turns turns(int64_t seq, int64_t size, double base) {
  Turns made;
  for (int64_t i = 0; i < seq; ++i)
    for (int64_t j = 0; j < size / 2; ++j) {
      const double angle =
          static_cast<double>(i) * std::pow(base, -static_cast<double>(2 * j) / static_cast<double>(size));
      made.cosines.push_back(std::cos(angle));
      made.sines.push_back(std::sin(angle));
    }
  return made;
}

Val rotary(OpBuilder& b, Val x, double base, bool interleaved) {
  if (!b.status()) return {};
  const Dims dims = b[x].dims;
  const std::vector<std::string> axes = b[x].axes;
  const DType dtype = b[x].dtype, wide = dtype == DType::f64 ? dtype : DType::f32;
  const int64_t seq = dims[dims.size() - 2], half = dims.back() / 2;
  const Turns angles = turns(seq, dims.back(), base);
  // Pairs along an axis of their own, before or behind the axis that counts them.
  const int rank = static_cast<int>(dims.size()), pair = interleaved ? rank : rank - 1;
  Dims split(dims.begin(), dims.end() - 1), table{seq, half}, single = split;
  split.push_back(interleaved ? half : 2);
  split.push_back(interleaved ? 2 : half);
  table.insert(table.begin() + (interleaved ? 2 : 1), 1);
  const Val pairs = b.reshape(b.cast(x, wide), split);
  const Val first = b.slice(pairs, pair, 0, 1), second = b.slice(pairs, pair, 1, 2);
  const Val c = b.constant(Tensor::from_f64(wide, table, angles.cosines)),
            s = b.constant(Tensor::from_f64(wide, table, angles.sines));
  const Val turned[] = {b.sub(b.mul(first, c), b.mul(second, s)), b.add(b.mul(second, c), b.mul(first, s))};
  if (!b.status()) return {};
  return b.cast(b.reshape(b.concat(turned, pair), dims, axes), dtype);
}

}  // namespace hw::attention_ops
