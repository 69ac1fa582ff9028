// Ops that move elements: reshape, concat, slice, pad, transpose.
#include <algorithm>

#include "engine/core/sizes.h"
#include "engine/program/adjoint_rules.h"
#include "engine/program/infer_rules.h"

namespace hw::infer_rules {

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

namespace hw::adjoint_rules {

void reshape(AdjointContext& c) {
  if (c.wants(0)) c.give(0, c.b.reshape(c.g, c.dims(0)));
}

void concat(AdjointContext& c) {
  const int axis = c.attr<AxisAttr>().axis;
  int64_t begin = 0;
  for (size_t k = 0; k < c.i.in.size(); ++k) {
    const int64_t size = c.dims(k)[static_cast<size_t>(axis)];
    if (c.wants(k)) c.give(k, c.b.slice(c.g, axis, begin, begin + size));
    begin += size;
  }
}

void slice(AdjointContext& c) {
  AxisAttr attr = c.attr<AxisAttr>();
  attr.size = c.dims(0)[static_cast<size_t>(attr.axis)];
  attr.fill = 0;
  if (c.wants(0)) c.give(0, c.b.emit(Op::pad, {c.g}, attr)[0]);
}

void pad(AdjointContext& c) {
  const AxisAttr& attr = c.attr<AxisAttr>();
  if (c.wants(0)) c.give(0, c.b.slice(c.g, attr.axis, attr.begin, attr.end));
}

void transpose(AdjointContext& c) {
  const std::vector<int>& order = c.attr<PermuteAttr>().order;
  std::vector<int> inverse(order.size());
  for (size_t d = 0; d < order.size(); ++d) inverse[static_cast<size_t>(order[d])] = static_cast<int>(d);
  if (c.wants(0)) c.give(0, c.b.transpose(c.g, std::move(inverse)));
}

}  // namespace hw::adjoint_rules
