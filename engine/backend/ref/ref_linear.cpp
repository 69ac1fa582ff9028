// ref: products, sums and layout ops.
#include "engine/backend/ref/ref_ops.h"

namespace hw::ref {
namespace {

size_t at(const Dims& dims, int axis) {
  return static_cast<size_t>(dims[static_cast<size_t>(axis)]);
}

// A tensor as [outer, axis, inner].
struct Split {
  size_t outer = 1, inner = 1;

  Split(const Dims& dims, int axis) {
    for (int d = 0; d < static_cast<int>(dims.size()); ++d) {
      if (d < axis) outer *= at(dims, d);
      if (d > axis) inner *= at(dims, d);
    }
  }
};

// Copies `count` slices along the axis, from index `from_begin` of `from` to index `to_begin` of `to`.
void copy_slices(const Wide& from, size_t from_begin, Wide& to, size_t to_begin, size_t count, int axis) {
  const Split split(from.dims, axis);
  const size_t from_size = at(from.dims, axis), to_size = at(to.dims, axis);
  for (size_t o = 0; o < split.outer; ++o)
    for (size_t k = 0; k < count; ++k)
      for (size_t i = 0; i < split.inner; ++i)
        to[(o * to_size + to_begin + k) * split.inner + i] = from[(o * from_size + from_begin + k) * split.inner + i];
}

}  // namespace

void matmul(Call& c) {
  const auto compute = c.attr<MatmulAttr>().compute;
  const Wide a = factor(c.in[0], compute), b = factor(c.in[1], compute);
  Wide& out = c.out[0];
  const bool transposed = c.attr<MatmulAttr>().transpose_b;
  const auto inner = static_cast<size_t>(a.dims.back()), columns = static_cast<size_t>(out.dims.back());
  for (size_t e = 0; e < out.size(); ++e) {
    const size_t row = e / columns, column = e % columns;
    double sum = 0;
    for (size_t k = 0; k < inner; ++k)
      sum += a[row * inner + k] * b[transposed ? column * inner + k : k * columns + column];
    out[e] = c.in.size() > 2 ? sum + c.in[2][column] : sum;
  }
}

void matmul_tn(Call& c) {
  const auto compute = c.attr<MatmulAttr>().compute;
  const Wide a = factor(c.in[0], compute), b = factor(c.in[1], compute);
  const auto m = static_cast<size_t>(a.dims.back()), n = static_cast<size_t>(b.dims.back());
  const size_t rows = m ? a.size() / m : 0;
  for (size_t r = 0; r < rows; ++r)
    for (size_t i = 0; i < m; ++i)
      for (size_t j = 0; j < n; ++j) c.out[0][i * n + j] += a[r * m + i] * b[r * n + j];
}

void batch_matmul(Call& c) {
  const auto compute = c.attr<MatmulAttr>().compute;
  const Wide a = factor(c.in[0], compute), b = factor(c.in[1], compute);
  Wide& out = c.out[0];
  const bool transpose_b = c.attr<MatmulAttr>().transpose_b, transpose_a = c.attr<MatmulAttr>().transpose_a;
  const int last = static_cast<int>(out.dims.size()) - 1;
  const size_t n = at(out.dims, last - 1), m = at(out.dims, last), inner = at(a.dims, transpose_a ? last - 1 : last);
  for (size_t e = 0; e < out.size(); ++e) {
    const size_t matrix = e / (n * m), row = e / m % n, column = e % m;
    double sum = 0;
    for (size_t k = 0; k < inner; ++k)
      sum += a[matrix * n * inner + (transpose_a ? k * n + row : row * inner + k)] *
             b[matrix * inner * m + (transpose_b ? column * inner + k : k * m + column)];
    out[e] = sum;
  }
}

void sum_to(Call& c) {
  const Wide& x = c.in[0];
  for (size_t i = 0; i < x.size(); ++i) c.out[0][broadcast_index(i, x.dims, c.out[0].dims)] += x[i];
}

void broadcast_to(Call& c) {
  Wide& out = c.out[0];
  for (size_t i = 0; i < out.size(); ++i) out[i] = c.in[0][broadcast_index(i, out.dims, c.in[0].dims)];
}

void reshape(Call& c) {
  c.out[0].v = c.in[0].v;
}

void concat(Call& c) {
  const int axis = c.attr<AxisAttr>().axis;
  size_t begin = 0;
  for (const Wide& x : c.in) {
    copy_slices(x, 0, c.out[0], begin, at(x.dims, axis), axis);
    begin += at(x.dims, axis);
  }
}

void slice(Call& c) {
  const AxisAttr& a = c.attr<AxisAttr>();
  copy_slices(c.in[0], static_cast<size_t>(a.begin), c.out[0], 0, static_cast<size_t>(a.end - a.begin), a.axis);
}

void pad(Call& c) {
  const AxisAttr& a = c.attr<AxisAttr>();
  c.out[0].v.assign(c.out[0].size(), a.fill);
  copy_slices(c.in[0], 0, c.out[0], static_cast<size_t>(a.begin), static_cast<size_t>(a.end - a.begin), a.axis);
}

void transpose(Call& c) {
  const std::vector<int>& order = c.attr<PermuteAttr>().order;
  Wide& out = c.out[0];
  for (size_t e = 0; e < out.size(); ++e) {
    std::vector<size_t> index(order.size());  // into the input
    size_t rest = e;
    for (size_t d = order.size(); d-- > 0; rest /= at(out.dims, static_cast<int>(d)))
      index[static_cast<size_t>(order[d])] = rest % at(out.dims, static_cast<int>(d));
    size_t from = 0;
    for (size_t d = 0; d < index.size(); ++d) from = from * at(c.in[0].dims, static_cast<int>(d)) + index[d];
    out[e] = c.in[0][from];
  }
}

}  // namespace hw::ref
