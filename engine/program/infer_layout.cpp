// Output types of products, sums and layout ops.
#include <algorithm>

#include "engine/core/sizes.h"
#include "engine/program/infer_rules.h"

namespace hw::infer_rules {
namespace {

Status axis_within(const Args& a, int axis, size_t rank) {
  if (axis < 0 || static_cast<size_t>(axis) >= rank)
    return wrong_rank(a, "There is no axis " + std::to_string(axis) + " in " + text(a.in[0]) + ".");
  return ok();
}

}  // namespace

Types matmul(const Args& a) {
  HW_CHECK(one_float_dtype(a));
  HW_CHECK(compute_in(a, a.get<MatmulAttr>().compute));
  const Value &x = a.in[0], &w = a.in[1];
  const bool transposed = a.get<MatmulAttr>().transpose_b;
  if (x.dims.empty() || w.dims.size() != 2)
    return wrong_rank(a, "It multiplies [.., K] by a matrix, got " + text(x) + " and " + text(w) + ".");
  const int64_t inner = w.dims[transposed ? 1 : 0], outer = w.dims[transposed ? 0 : 1];
  if (x.dims.back() != inner)
    return wrong_size(a, "The last axis of " + text(x) + " must have " + std::to_string(inner) + " as the weight " +
                             text(w) + (transposed ? " (transposed)" : "") + " has.");
  if (a.in.size() > 2 && a.in[2].dims != Dims{outer})
    return wrong_size(a, "The bias must be " + to_string(Dims{outer}) + ", got " + text(a.in[2]) + ".");
  Dims dims = x.dims;
  dims.back() = outer;
  return one(made(x.dtype, std::move(dims), x.axes));
}

Types matmul_tn(const Args& a) {
  HW_CHECK(one_float_dtype(a));
  const DType to = a.get<MatmulAttr>().dtype;
  HW_CHECK(float_output(a, to));
  HW_CHECK(compute_in(a, a.get<MatmulAttr>().compute));
  const Value &x = a.in[0], &y = a.in[1];
  if (x.dims.empty() || x.dims.size() != y.dims.size())
    return wrong_rank(a, "It wants two tensors of one rank, got " + text(x) + " and " + text(y) + ".");
  if (!std::equal(x.dims.begin(), x.dims.end() - 1, y.dims.begin()))
    return wrong_size(a, "The leading axes of " + text(x) + " and " + text(y) + " differ.");
  return one(made(to, {x.dims.back(), y.dims.back()}));
}

Types batch_matmul(const Args& a) {
  HW_CHECK(one_float_dtype(a));
  const MatmulAttr& attr = a.get<MatmulAttr>();
  HW_CHECK(compute_in(a, attr.compute));
  const Value &x = a.in[0], &y = a.in[1];
  const size_t rank = x.dims.size();
  if (rank < 3 || rank != y.dims.size())
    return wrong_rank(a, "It multiplies [B.., N, K] by [B.., K, M], got " + text(x) + " and " + text(y) + ".");
  if (!std::equal(x.dims.begin(), x.dims.end() - 2, y.dims.begin()))
    return wrong_size(a, "The batch axes of " + text(x) + " and " + text(y) + " differ.");
  if (x.dims[rank - (attr.transpose_a ? 2 : 1)] != y.dims[rank - (attr.transpose_b ? 1 : 2)])
    return wrong_size(a, "The summed axes of " + text(x) + (attr.transpose_a ? " (transposed)" : "") + " and " +
                             text(y) + (attr.transpose_b ? " (transposed)" : "") + " differ.");
  Value out = made(x.dtype, x.dims, x.axes);
  out.dims[rank - 2] = x.dims[rank - (attr.transpose_a ? 1 : 2)];
  out.dims[rank - 1] = y.dims[rank - (attr.transpose_b ? 2 : 1)];
  return one(std::move(out));
}

Types sum_to(const Args& a) {
  HW_CHECK(one_float_dtype(a));
  const DimsAttr& attr = a.get<DimsAttr>();
  HW_CHECK(float_output(a, attr.dtype));
  const auto stretched = broadcast(attr.dims, a.in[0].dims);
  if (!stretched || *stretched != a.in[0].dims)
    return Error{codes::no_broadcast, a.name(), text(a.in[0]) + " does not sum down to " + to_string(attr.dims) + ".",
                 ""};
  return one(made(attr.dtype, attr.dims, a.in[0].axes));
}

Types broadcast_to(const Args& a) {
  HW_CHECK(one_dtype(a));
  const Dims& to = a.get<DimsAttr>().dims;
  const auto stretched = broadcast(to, a.in[0].dims);
  if (!stretched || *stretched != to)
    return Error{codes::no_broadcast, a.name(), text(a.in[0]) + " does not stretch to " + to_string(to) + ".", ""};
  return one(made(a.in[0].dtype, to, a.in[0].axes));
}

Types reshape(const Args& a) {
  HW_CHECK(one_dtype(a));
  const Dims& to = a.get<DimsAttr>().dims;
  const bool negative = std::any_of(to.begin(), to.end(), [](int64_t d) { return d < 0; });
  if (negative || element_count(to) != element_count(a.in[0].dims))
    return wrong_size(a, text(a.in[0]) + " and " + to_string(to) + " have different element counts.");
  return one(made(a.in[0].dtype, to));
}

Types concat(const Args& a) {
  assert(!a.in.empty());
  HW_CHECK(one_dtype(a));
  const int axis = a.get<AxisAttr>().axis;
  Value out = made(a.in[0].dtype, a.in[0].dims, a.in[0].axes);
  HW_CHECK(axis_within(a, axis, out.dims.size()));
  for (const Value& v : a.in.subspan(1)) {
    if (v.dims.size() != out.dims.size())
      return wrong_rank(a, text(a.in[0]) + " and " + text(v) + " have different ranks.");
    for (size_t i = 0; i < v.dims.size(); ++i)
      if (static_cast<int>(i) != axis && v.dims[i] != out.dims[i])
        return wrong_size(a, text(a.in[0]) + " and " + text(v) + " differ on axis " + std::to_string(i) + ".");
    int64_t& joined = out.dims[static_cast<size_t>(axis)];
    joined = size_sum({joined, v.dims[static_cast<size_t>(axis)]});
  }
  return one(std::move(out));
}

Types slice(const Args& a) {
  HW_CHECK(one_dtype(a));
  const AxisAttr& attr = a.get<AxisAttr>();
  HW_CHECK(axis_within(a, attr.axis, a.in[0].dims.size()));
  Value out = made(a.in[0].dtype, a.in[0].dims, a.in[0].axes);
  int64_t& size = out.dims[static_cast<size_t>(attr.axis)];
  if (attr.begin < 0 || attr.begin > attr.end || attr.end > size)
    return wrong_size(a, "[" + std::to_string(attr.begin) + ", " + std::to_string(attr.end) + ") lies outside axis " +
                             std::to_string(attr.axis) + " of " + text(a.in[0]) + ".");
  size = attr.end - attr.begin;
  return one(std::move(out));
}

Types pad(const Args& a) {
  HW_CHECK(one_dtype(a));
  const AxisAttr& attr = a.get<AxisAttr>();
  HW_CHECK(axis_within(a, attr.axis, a.in[0].dims.size()));
  Value out = made(a.in[0].dtype, a.in[0].dims, a.in[0].axes);
  int64_t& size = out.dims[static_cast<size_t>(attr.axis)];
  if (attr.begin < 0 || attr.end - attr.begin != size || attr.end > attr.size)
    return wrong_size(a, text(a.in[0]) + " does not fill [" + std::to_string(attr.begin) + ", " +
                             std::to_string(attr.end) + ") of " + std::to_string(attr.size) + ".");
  size = attr.size;
  return one(std::move(out));
}

Types transpose(const Args& a) {
  HW_CHECK(one_dtype(a));
  const std::vector<int>& order = a.get<PermuteAttr>().order;
  const Value& x = a.in[0];
  std::vector<bool> taken(x.dims.size(), false);
  bool permutes = order.size() == x.dims.size();
  for (size_t d = 0; permutes && d < order.size(); ++d) {
    const auto axis = static_cast<size_t>(order[d]);
    permutes = order[d] >= 0 && axis < taken.size() && !taken[axis];
    if (permutes) taken[axis] = true;
  }
  if (!permutes) return wrong_attr(a, "The order must name each axis of " + text(x) + " once.");
  Value out = made(x.dtype, x.dims, x.axes);
  for (size_t d = 0; d < order.size(); ++d) {
    out.dims[d] = x.dims[static_cast<size_t>(order[d])];
    if (!out.axes.empty()) out.axes[d] = x.axes[static_cast<size_t>(order[d])];
  }
  return one(std::move(out));
}

}  // namespace hw::infer_rules
