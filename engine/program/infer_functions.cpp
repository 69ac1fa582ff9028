// Output types of the function tables' ops, of softmax and of indices.
#include "engine/program/infer_rules.h"

namespace hw::infer_rules {
namespace {

Status stretches(const Args& a, const Value& v, const Dims& to) {
  const auto stretched = broadcast(to, v.dims);
  if (stretched && *stretched == to) return ok();
  return Error{codes::no_broadcast, a.name(), text(v) + " does not stretch to " + to_string(to) + ".", ""};
}

Result<Dims> joint(const Args& a, const Dims& x, const Dims& y) {
  auto dims = broadcast(x, y);
  if (dims) return dims;
  Error e = dims.error();
  e.where = a.name();
  return e;
}

std::vector<std::string> names_of(const Args& a, const Dims& dims) {
  for (const Value& v : a.in)
    if (v.axes.size() == dims.size() && !v.axes.empty()) return v.axes;
  return {};
}

Status axis_within(const Args& a, int axis, size_t rank) {
  if (axis >= 0 && static_cast<size_t>(axis) < rank) return ok();
  return wrong_rank(a, "There is no axis " + std::to_string(axis) + " in " + text(a.in[0]) + ".");
}

template <class T>
void erase_axis(std::vector<T>& list, int axis) {
  if (!list.empty()) list.erase(list.begin() + axis);
}

Status is_index(const Args& a, const Value& v) {
  if (info(v.dtype).is_float || v.dtype == DType::boolean)
    return wrong_dtype(a, "Indices must be whole numbers, got " + text(v) + ".");
  return ok();
}

}  // namespace

Types unary_function(const Args& a) {
  (void)a.get<UnaryAttr>();
  HW_CHECK(one_float_dtype(a));
  const Value& x = a.in.back();
  if (a.in[0].dims != x.dims) return wrong_size(a, text(a.in[0]) + " and " + text(x) + " differ.");
  return one(made(x.dtype, x.dims, x.axes));
}

Types binary_function(const Args& a) {
  (void)a.get<BinaryAttr>();
  HW_CHECK(one_float_dtype(a));
  HW_TRY(Dims dims, joint(a, a.in[0].dims, a.in[1].dims));
  auto names = names_of(a, dims);
  return one(made(a.in[0].dtype, std::move(dims), std::move(names)));
}

Types binary_grad(const Args& a) {
  (void)a.get<BinaryAttr>();
  HW_CHECK(one_float_dtype(a));
  const Value& g = a.in[0];
  HW_CHECK(stretches(a, a.in[1], g.dims));
  HW_CHECK(stretches(a, a.in[2], g.dims));
  return one(made(g.dtype, g.dims, g.axes));
}

Types compare(const Args& a) {
  (void)a.get<CompareAttr>();
  if (a.in[0].dtype != a.in[1].dtype)
    return wrong_dtype(a, "Its inputs are " + text(a.in[0]) + " and " + text(a.in[1]) + "; they must share one dtype.");
  HW_TRY(Dims dims, joint(a, a.in[0].dims, a.in[1].dims));
  auto names = names_of(a, dims);
  return one(made(DType::boolean, std::move(dims), std::move(names)));
}

Types where(const Args& a) {
  if (a.in[0].dtype != DType::boolean) return wrong_dtype(a, "The condition must be bool, got " + text(a.in[0]) + ".");
  HW_CHECK(one_float_dtype({a.op, a.in.subspan(1), a.attr}));
  HW_TRY(const Dims sides, joint(a, a.in[1].dims, a.in[2].dims));
  HW_TRY(Dims dims, joint(a, a.in[0].dims, sides));
  auto names = names_of(a, dims);
  return one(made(a.in[1].dtype, std::move(dims), std::move(names)));
}

Types reduce(const Args& a) {
  HW_CHECK(one_float_dtype(a));
  const ReduceAttr& attr = a.get<ReduceAttr>();
  const auto stretched = broadcast(attr.dims, a.in[0].dims);
  if (!stretched || *stretched != a.in[0].dims)
    return Error{codes::no_broadcast, a.name(), text(a.in[0]) + " does not reduce to " + to_string(attr.dims) + ".",
                 ""};
  return one(made(a.in[0].dtype, attr.dims, a.in[0].axes));
}

Types softmax(const Args& a) {
  HW_CHECK(one_float_dtype(a));
  const Value& x = a.in.back();
  HW_CHECK(axis_within(a, a.get<SoftmaxAttr>().axis, x.dims.size()));
  if (a.in[0].dims != x.dims) return wrong_size(a, text(a.in[0]) + " and " + text(x) + " differ.");
  return one(made(x.dtype, x.dims, x.axes));
}

Types argmax(const Args& a) {
  HW_CHECK(one_float_dtype(a));
  const int axis = a.get<AxisAttr>().axis;
  HW_CHECK(axis_within(a, axis, a.in[0].dims.size()));
  Value out = made(DType::i64, a.in[0].dims, a.in[0].axes);
  if (out.dims[static_cast<size_t>(axis)] == 0)
    return wrong_size(a, "There is no largest of none in " + text(a.in[0]) + ".");
  erase_axis(out.dims, axis);
  erase_axis(out.axes, axis);
  return one(std::move(out));
}

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
