// Elements and rows by index.
#include "engine/program/adjoint_rules.h"
#include "engine/program/infer_rules.h"

namespace hw::infer_rules {
namespace {

Status is_index(const Args& a, const Value& v) {
  if (info(v.dtype).is_float || v.dtype == DType::boolean)
    return wrong_dtype(a, "Indices must be whole numbers, got " + text(v) + ".");
  return ok();
}

}  // namespace

Types gather_elements(const Args& a) {
  const Value &x = a.in[0], &index = a.in[1];
  HW_CHECK(one_float_dtype({a.op, a.in.first(1), a.attr}));
  HW_CHECK(is_index(a, index));
  const int axis = a.get<AxisAttr>().axis;
  HW_CHECK(axis_within(a, axis, x.dims.size()));
  Value out = made(x.dtype, x.dims, x.axes);
  erase_axis(out.dims, axis);
  erase_axis(out.axes, axis);
  if (index.dims != out.dims)
    return wrong_size(
        a, text(index) + " must have the sizes of " + text(x) + " without axis " + std::to_string(axis) + ".");
  return one(std::move(out));
}

Types gather_elements_grad(const Args& a) {
  const Value &g = a.in[0], &index = a.in[1];
  HW_CHECK(one_float_dtype({a.op, a.in.first(1), a.attr}));
  HW_CHECK(is_index(a, index));
  const AxisAttr& attr = a.get<AxisAttr>();
  HW_CHECK(axis_within(a, attr.axis, g.dims.size() + 1));
  if (g.dims != index.dims) return wrong_size(a, text(g) + " and " + text(index) + " differ.");
  Dims dims = g.dims;
  dims.insert(dims.begin() + attr.axis, attr.size);
  return one(made(g.dtype, std::move(dims)));
}

Types gather(const Args& a) {
  const Value &table = a.in[0], &index = a.in[1];
  HW_CHECK(one_float_dtype({a.op, a.in.first(1), a.attr}));
  HW_CHECK(is_index(a, index));
  if (table.dims.empty()) return wrong_rank(a, "A table is [entries, ..], got " + text(table) + ".");
  Dims dims = index.dims;
  dims.insert(dims.end(), table.dims.begin() + 1, table.dims.end());
  return one(made(table.dtype, std::move(dims)));
}

Types gather_grad(const Args& a) {
  const Value &g = a.in[0], &index = a.in[1];
  const Dims& table = a.get<DimsAttr>().dims;
  HW_CHECK(one_float_dtype({a.op, a.in.first(1), a.attr}));
  HW_CHECK(is_index(a, index));
  if (table.empty()) return wrong_rank(a, "A table is [entries, ..], got a scalar.");
  Dims dims = index.dims;
  dims.insert(dims.end(), table.begin() + 1, table.end());
  if (g.dims != dims) return wrong_size(a, "Expected " + to_string(dims) + ", got " + text(g) + ".");
  return one(made(g.dtype == DType::f64 ? DType::f64 : DType::f32, table));
}

}  // namespace hw::infer_rules

namespace hw::adjoint_rules {

void gather_elements(AdjointContext& c) {
  AxisAttr attr = c.attr<AxisAttr>();
  attr.size = c.dims(0)[static_cast<size_t>(attr.axis)];
  if (c.wants(0)) c.give(0, c.b.emit(Op::gather_elements_grad, {c.g, c.in(1)}, attr)[0]);
}

void gather_elements_grad(AdjointContext& c) {
  if (c.wants(0)) c.give(0, c.b.gather_elements(c.g, c.in(1), c.attr<AxisAttr>().axis));
}

void gather(AdjointContext& c) {
  if (c.wants(0)) c.give(0, c.b.emit(Op::gather_grad, {c.g, c.in(1)}, DimsAttr{c.dims(0)})[0]);
}

void gather_grad(AdjointContext& c) {
  if (c.wants(0)) c.give(0, c.b.gather(c.g, c.in(1)));
}

}  // namespace hw::adjoint_rules
