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

Val hidden_unless(OpBuilder& b, Val seen, Val scores) {
  if (!b.status()) return {};
  const DType dtype = b[scores].dtype;
  return b.where(seen, scores, b.constant(Tensor::from_f64(dtype, {}, {{-info(dtype).max}})));
}

}  // namespace

Val attention(OpBuilder& b, Val q, Val k, Val v, const Options& options) {
  if (!b.status()) return {};
  const auto rank = static_cast<int>(b[q].dims.size());
  const double scale = options.scale.value_or(1 / std::sqrt(static_cast<double>(b[q].dims.back())));
  Val scores = b.batch_matmul(b.scale(q, scale), k, false, true, options.compute);
  if (!b.status()) return {};
  if (options.causal) {
    const int64_t queries = b[scores].dims[static_cast<size_t>(rank) - 2], keys = b[scores].dims.back();
    const Val seen = b.compare(CompareFn::less_equal, counted(b, keys, {1, keys}), counted(b, queries, {queries, 1}));
    scores = hidden_unless(b, seen, scores);
  }
  if (options.mask) scores = hidden_unless(b, options.mask, scores);
  return b.batch_matmul(b.softmax(scores, rank - 1), v, false, false, options.compute);
}

Val rotary(OpBuilder& b, Val x, double base, bool interleaved) {
  if (!b.status()) return {};
  const Dims dims = b[x].dims;
  const std::vector<std::string> axes = b[x].axes;
  const DType dtype = b[x].dtype, wide = dtype == DType::f64 ? dtype : DType::f32;
  const int64_t seq = dims[dims.size() - 2], half = dims.back() / 2;
  std::vector<double> cosines, sines;
  for (int64_t i = 0; i < seq; ++i)
    for (int64_t j = 0; j < half; ++j) {
      const double angle =
          static_cast<double>(i) * std::pow(base, -static_cast<double>(2 * j) / static_cast<double>(dims.back()));
      cosines.push_back(std::cos(angle));
      sines.push_back(std::sin(angle));
    }
  // Pairs along an axis of their own, before or behind the axis that counts them.
  const int rank = static_cast<int>(dims.size()), pair = interleaved ? rank : rank - 1;
  Dims split(dims.begin(), dims.end() - 1), table{seq, half}, single = split;
  split.push_back(interleaved ? half : 2);
  split.push_back(interleaved ? 2 : half);
  table.insert(table.begin() + (interleaved ? 2 : 1), 1);
  const Val pairs = b.reshape(b.cast(x, wide), split);
  const Val first = b.slice(pairs, pair, 0, 1), second = b.slice(pairs, pair, 1, 2);
  const Val c = b.constant(Tensor::from_f64(wide, table, cosines)),
            s = b.constant(Tensor::from_f64(wide, table, sines));
  const Val turned[] = {b.sub(b.mul(first, c), b.mul(second, s)), b.add(b.mul(second, c), b.mul(first, s))};
  if (!b.status()) return {};
  return b.cast(b.reshape(b.concat(turned, pair), dims, axes), dtype);
}

}  // namespace hw::attention_ops
