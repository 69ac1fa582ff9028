#include "engine/program/vector_ops.h"

#include <algorithm>
#include <numeric>

namespace hw::vector_ops {
namespace {

int rank(OpBuilder& b, Val x) {
  return static_cast<int>(b[x].dims.size());
}

// x with an axis of size 1 at `at`.
Val inserted(OpBuilder& b, Val x, int at) {
  if (!b.status()) return {};
  Dims dims = b[x].dims;
  dims.insert(dims.begin() + at, 1);
  return b.reshape(x, std::move(dims));
}

// Σ over axis `at` from the end, which goes away.
Val summed(OpBuilder& b, Val x, int from_end) {
  return b.status() ? b.sum(x, {rank(b, x) - from_end}) : Val{};
}

struct Norm {
  Val wide, is_zero, length;  // length: 1 where the vector is zero; keeps the last axis
  DType dtype;
};

// The zero vector is taken out before the root, whose slope there is infinite.
Norm norm_of(OpBuilder& b, Val v) {
  const DType dtype = b[v].dtype, wide = dtype == DType::f64 ? dtype : DType::f32;
  const Val x = b.cast(v, wide);
  if (!b.status()) return {};
  const Val squares = b.sum(b.mul(x, x), {rank(b, x) - 1}, true);
  const Val is_zero = b.compare(CompareFn::equal, squares, b.constant(Tensor::zeros(wide, {})));
  const Val one = b.constant(Tensor::from_f64(wide, {}, std::vector<double>{1}));
  return {x, is_zero, b.unary(UnaryFn::sqrt, b.where(is_zero, one, squares)), dtype};
}

}  // namespace

Val with_axes(OpBuilder& b, Val x, int axes) {
  if (!b.status()) return {};
  Dims dims = b[x].dims;
  if (dims.empty() || axes == 0) return x;
  dims.insert(dims.end(), static_cast<size_t>(axes), 1);
  return b.reshape(x, std::move(dims));
}

Val component(OpBuilder& b, Val v, int index) {
  if (!b.status()) return {};
  Dims dims = b[v].dims;
  const Val one = b.slice(v, rank(b, v) - 1, index, index + 1);
  dims.pop_back();
  return b.reshape(one, std::move(dims));
}

Val combined(OpBuilder& b, std::span<const Val> scalars) {
  if (!b.status()) return {};
  Dims batch;
  for (const Val s : scalars) {
    auto joint = broadcast(batch, b[s].dims);
    if (!joint) {
      b.fail(joint.error());
      return {};
    }
    batch = std::move(*joint);
  }
  std::vector<Val> parts;
  for (const Val s : scalars) {
    const Val stretched = b[s].dims == batch ? s : b.broadcast_to(s, batch);
    Dims dims = batch;
    dims.push_back(1);
    parts.push_back(b.reshape(stretched, std::move(dims)));
    if (!b.status()) return {};
  }
  return parts.size() == 1 ? parts[0] : b.concat(parts, static_cast<int>(batch.size()));
}

Val swizzled(OpBuilder& b, Val v, const std::vector<int>& order) {
  if (!b.status()) return {};
  const int axis = rank(b, v) - 1;
  std::vector<Val> runs;  // of neighbours
  for (size_t i = 0; i < order.size();) {
    size_t end = i + 1;
    while (end < order.size() && order[end] == order[end - 1] + 1) ++end;
    const bool all = i == 0 && end == order.size() && order[0] == 0 && b[v].dims.back() == static_cast<int64_t>(end);
    runs.push_back(all ? v : b.slice(v, axis, order[i], order[end - 1] + 1));
    i = end;
  }
  return runs.size() == 1 ? runs[0] : b.concat(runs, axis);
}

Val dot(OpBuilder& b, Val x, Val y) {
  return summed(b, b.mul(x, y), 1);
}

Val cross(OpBuilder& b, Val x, Val y) {
  const std::vector<int> yzx{1, 2, 0}, zxy{2, 0, 1};
  return b.sub(b.mul(swizzled(b, x, yzx), swizzled(b, y, zxy)), b.mul(swizzled(b, x, zxy), swizzled(b, y, yzx)));
}

Val length(OpBuilder& b, Val v) {
  if (!b.status()) return {};
  const Norm n = norm_of(b, v);
  if (!b.status()) return {};
  Dims dims = b[v].dims;
  dims.pop_back();
  const Val zero = b.constant(Tensor::zeros(b[n.wide].dtype, {}));
  return b.cast(b.reshape(b.where(n.is_zero, zero, n.length), std::move(dims)), n.dtype);
}

Val normalized(OpBuilder& b, Val v) {
  if (!b.status()) return {};
  const Norm n = norm_of(b, v);
  return b.cast(b.div(n.wide, n.length), n.dtype);
}

Val transposed(OpBuilder& b, Val m) {
  if (!b.status()) return {};
  std::vector<int> order(b[m].dims.size());
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  return b.transpose(m, std::move(order));
}

Val matrix_vector(OpBuilder& b, Val m, Val v) {
  if (!b.status()) return {};
  return summed(b, b.mul(m, inserted(b, v, rank(b, v) - 1)), 1);
}

Val matrix_matrix(OpBuilder& b, Val x, Val y) {
  if (!b.status()) return {};
  const Val rows = inserted(b, x, rank(b, x)), columns = inserted(b, y, rank(b, y) - 2);  // [.., R, K, 1] [.., 1, K, C]
  return summed(b, b.mul(rows, columns), 2);
}

}  // namespace hw::vector_ops
