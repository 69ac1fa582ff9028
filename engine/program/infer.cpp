// Output dtypes and shapes of every op, one rule a family; kRules maps each op to its rule.
#include <algorithm>
#include <cassert>
#include <cmath>

#include "engine/core/codes.h"
#include "engine/program/builder.h"

namespace hw {
namespace {

using Types = Result<std::vector<Value>>;

struct Args {
  Op op;
  std::span<const Value> in;
  const Attr& attr;

  template <class A>
  const A& get() const {
    assert(std::holds_alternative<A>(attr));
    return *std::get_if<A>(&attr);
  }
  std::string name() const { return std::string(info(op).name); }
};

Value made(DType dtype, Dims dims, std::vector<std::string> axes = {}) {
  if (axes.size() != dims.size()) axes.clear();
  return {dtype, std::move(dims), std::move(axes), Storage::temp, ""};
}

Types one(Value v) {
  return std::vector<Value>{std::move(v)};
}

std::string text(const Value& v) {
  return std::string(name(v.dtype)) + to_string(v.dims);
}

Error wrong_dtype(const Args& a, const std::string& reason) {
  return {codes::dtype_mismatch, a.name(), reason, "Put a Cast before it."};
}
Error wrong_rank(const Args& a, const std::string& reason) {
  return {codes::rank_mismatch, a.name(), reason, ""};
}
Error wrong_size(const Args& a, const std::string& reason) {
  return {codes::size_mismatch, a.name(), reason, ""};
}
Error wrong_attr(const Args& a, const std::string& reason) {
  return {codes::bad_parameter, a.name(), reason, ""};
}

// All inputs share one float dtype.
Status one_float_dtype(const Args& a) {
  for (const Value& v : a.in) {
    if (!info(v.dtype).is_float) return wrong_dtype(a, "It wants a float, got " + std::string(name(v.dtype)) + ".");
    if (v.dtype != a.in[0].dtype)
      return wrong_dtype(a, "Its inputs are " + text(a.in[0]) + " and " + text(v) + "; they must share one dtype.");
  }
  return ok();
}

Status float_output(const Args& a, DType dtype) {
  if (!info(dtype).is_float || !info(dtype).storable)
    return wrong_dtype(a, "Its result cannot be stored as " + std::string(name(dtype)) + ".");
  return ok();
}

Types cast(const Args& a) {
  const DType to = a.get<CastAttr>().dtype;
  if (!info(to).storable) return wrong_dtype(a, std::string(name(to)) + " is a compute mode, never stored.");
  return one(made(to, a.in[0].dims, a.in[0].axes));
}

Types broadcasting(const Args& a) {
  HW_CHECK(one_float_dtype(a));
  auto dims = broadcast(a.in[0].dims, a.in[1].dims);
  if (!dims) {
    Error e = dims.error();
    e.where = a.name();
    return e;
  }
  const Value& named = a.in[0].axes.size() == dims->size() ? a.in[0] : a.in[1];
  return one(made(a.in[0].dtype, *dims, named.axes));
}

Types unary(const Args& a) {
  HW_CHECK(one_float_dtype(a));
  return one(made(a.in[0].dtype, a.in[0].dims, a.in[0].axes));
}

Types affine(const Args& a) {
  const AffineAttr& attr = a.get<AffineAttr>();
  assert(attr.scale.size() == attr.offset.size());
  if (a.in[0].dims.empty()) return wrong_rank(a, "It wants at least one axis, got a scalar.");
  if (a.in[0].dims.back() != static_cast<int64_t>(attr.scale.size()))
    return wrong_size(a, "The last axis of " + text(a.in[0]) + " must have " + std::to_string(attr.scale.size()) +
                             " channels, one for each factor.");
  return unary(a);
}

Types clamp(const Args& a) {
  const ClampAttr& attr = a.get<ClampAttr>();
  if (!(attr.lo <= attr.hi)) return wrong_attr(a, "The lower bound lies above the upper one.");
  return unary(a);
}

Types scale(const Args& a) {
  (void)a.get<ScaleAttr>();
  return unary(a);
}

Types gradient_scale(const Args& a) {
  const GradientScaleAttr& attr = a.get<GradientScaleAttr>();
  if (!std::isfinite(attr.factor) || (attr.unscale && attr.factor == 0))
    return wrong_attr(a, "The factor must be finite, and not 0 where it is divided out again.");
  return unary(a);
}

Types dropout(const Args& a) {
  const double p = a.get<DropoutAttr>().p;
  if (!(p >= 0 && p < 1)) return wrong_attr(a, "The share dropped must lie in [0, 1).");
  return unary(a);
}

// (g, x or y): the gradient of a pointwise op.
Types pointwise_gradient(const Args& a) {
  HW_CHECK(one_float_dtype(a));
  if (a.in[0].dims != a.in[1].dims) return wrong_size(a, text(a.in[0]) + " and " + text(a.in[1]) + " differ.");
  return one(made(a.in[0].dtype, a.in[0].dims, a.in[0].axes));
}

Types clamp_grad(const Args& a) {
  (void)a.get<ClampAttr>();
  return pointwise_gradient(a);
}

Types matmul(const Args& a) {
  HW_CHECK(one_float_dtype(a));
  const Value &x = a.in[0], &w = a.in[1];
  const bool transposed = a.get<MatmulAttr>().transpose_b;
  if (x.dims.empty() || w.dims.size() != 2)
    return wrong_rank(a, "It multiplies [.., K] by a matrix, got " + text(x) + " and " + text(w) + ".");
  const int64_t inner = w.dims[transposed ? 1 : 0], outer = w.dims[transposed ? 0 : 1];
  if (x.dims.back() != inner)
    return wrong_size(a, "The last axis of " + text(x) + " must have " + std::to_string(inner) + " as the weight " +
                             text(w) + (transposed ? " (transposed)" : "") + " has.");
  Dims dims = x.dims;
  dims.back() = outer;
  return one(made(x.dtype, std::move(dims), x.axes));
}

Types matmul_tn(const Args& a) {
  HW_CHECK(one_float_dtype(a));
  const DType to = a.get<CastAttr>().dtype;
  HW_CHECK(float_output(a, to));
  const Value &x = a.in[0], &y = a.in[1];
  if (x.dims.empty() || x.dims.size() != y.dims.size())
    return wrong_rank(a, "It wants two tensors of one rank, got " + text(x) + " and " + text(y) + ".");
  if (!std::equal(x.dims.begin(), x.dims.end() - 1, y.dims.begin()))
    return wrong_size(a, "The leading axes of " + text(x) + " and " + text(y) + " differ.");
  return one(made(to, {x.dims.back(), y.dims.back()}));
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
  HW_CHECK(one_float_dtype(a));
  const Dims& to = a.get<DimsAttr>().dims;
  const auto stretched = broadcast(to, a.in[0].dims);
  if (!stretched || *stretched != to)
    return Error{codes::no_broadcast, a.name(), text(a.in[0]) + " does not stretch to " + to_string(to) + ".", ""};
  return one(made(a.in[0].dtype, to, a.in[0].axes));
}

Types reshape(const Args& a) {
  HW_CHECK(one_float_dtype(a));
  const Dims& to = a.get<DimsAttr>().dims;
  const bool negative = std::any_of(to.begin(), to.end(), [](int64_t d) { return d < 0; });
  if (negative || element_count(to) != element_count(a.in[0].dims))
    return wrong_size(a, text(a.in[0]) + " and " + to_string(to) + " have different element counts.");
  return one(made(a.in[0].dtype, to));
}

Status axis_within(const Args& a, int axis, size_t rank) {
  if (axis < 0 || static_cast<size_t>(axis) >= rank)
    return wrong_rank(a, "There is no axis " + std::to_string(axis) + " in " + text(a.in[0]) + ".");
  return ok();
}

Types concat(const Args& a) {
  assert(!a.in.empty());
  HW_CHECK(one_float_dtype(a));
  const int axis = a.get<AxisAttr>().axis;
  Value out = made(a.in[0].dtype, a.in[0].dims, a.in[0].axes);
  HW_CHECK(axis_within(a, axis, out.dims.size()));
  for (const Value& v : a.in.subspan(1)) {
    if (v.dims.size() != out.dims.size())
      return wrong_rank(a, text(a.in[0]) + " and " + text(v) + " have different ranks.");
    for (size_t i = 0; i < v.dims.size(); ++i)
      if (static_cast<int>(i) != axis && v.dims[i] != out.dims[i])
        return wrong_size(a, text(a.in[0]) + " and " + text(v) + " differ on axis " + std::to_string(i) + ".");
    out.dims[static_cast<size_t>(axis)] += v.dims[static_cast<size_t>(axis)];
  }
  return one(std::move(out));
}

Types slice(const Args& a) {
  HW_CHECK(one_float_dtype(a));
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
  HW_CHECK(one_float_dtype(a));
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

// x [N, D], f32; f64 only beside a table or gradient in f64.
Status grid_position(const Args& a, const Value& beside) {
  const HashGridAttr& grid = a.get<HashGridAttr>();
  const Value& x = a.in[0];
  if (x.dtype != DType::f32 && !(x.dtype == DType::f64 && beside.dtype == DType::f64))
    return wrong_dtype(a, "Positions must be f32, got " + std::string(name(x.dtype)) + ".");
  if (!info(beside.dtype).is_float) return wrong_dtype(a, "Features must be floats, got " + text(beside) + ".");
  if (x.dims.size() != 2)
    return wrong_rank(a, "Positions are [points, " + std::to_string(grid.dims) + "], got " + text(x) + ".");
  if (x.dims[1] != grid.dims)
    return wrong_size(a,
                      "The grid has " + std::to_string(grid.dims) + " dimensions, the positions are " + text(x) + ".");
  return ok();
}

Dims table_dims(const HashGridAttr& grid) {
  return {grid.table_entries(), grid.features};
}

Dims encoded_dims(const Args& a) {
  const HashGridAttr& grid = a.get<HashGridAttr>();
  return {a.in[0].dims[0], static_cast<int64_t>(grid.levels.size()) * grid.features};
}

Status exact_dims(const Args& a, const Value& v, const Dims& expected) {
  if (v.dims != expected) return wrong_size(a, "Expected " + to_string(expected) + ", got " + text(v) + ".");
  return ok();
}

Types hash_grid(const Args& a) {
  HW_CHECK(grid_position(a, a.in[1]));
  HW_CHECK(exact_dims(a, a.in[1], table_dims(a.get<HashGridAttr>())));
  return one(made(a.in[1].dtype, encoded_dims(a), a.in[0].axes));
}

Types hash_grid_grad_table(const Args& a) {
  HW_CHECK(grid_position(a, a.in[1]));
  HW_CHECK(exact_dims(a, a.in[1], encoded_dims(a)));
  const Dims table = table_dims(a.get<HashGridAttr>());
  const DType dtype = a.in[1].dtype == DType::f64 ? DType::f64 : DType::f32;
  return std::vector<Value>{made(dtype, table), made(DType::u8, {(element_count(table) + 15) / 16})};
}

Types hash_grid_grad_input(const Args& a) {
  HW_CHECK(grid_position(a, a.in[1]));
  HW_CHECK(exact_dims(a, a.in[1], table_dims(a.get<HashGridAttr>())));
  HW_CHECK(exact_dims(a, a.in[2], encoded_dims(a)));
  if (a.in[1].dtype != a.in[2].dtype)
    return wrong_dtype(a, "Table and gradient differ: " + text(a.in[1]) + ", " + text(a.in[2]) + ".");
  return one(made(a.in[0].dtype, a.in[0].dims, a.in[0].axes));
}

Types sample_surface(const Args& a) {
  const SampleSurfaceAttr& attr = a.get<SampleSurfaceAttr>();
  assert(attr.mesh);
  if (attr.points < 1) return wrong_attr(a, "It wants at least one point.");
  const auto row = [&](int64_t channels) { return made(DType::f32, {attr.points, channels}, {"N", "C"}); };
  return std::vector<Value>{row(3), row(3), row(2), row(3)};
}

Types gradient_norm(const Args& a) {
  const NormAttr* attr = std::get_if<NormAttr>(&a.attr);
  assert(!attr || attr->factors.empty() || attr->factors.size() == a.in.size());
  (void)attr;
  bool wide = !a.in.empty();
  for (const Value& v : a.in) {
    if (!info(v.dtype).is_float) return wrong_dtype(a, "It wants floats, got " + text(v) + ".");
    wide = wide && v.dtype == DType::f64;
  }
  return one(made(wide ? DType::f64 : DType::f32, {}));
}

// (view, master, moments…, grad, touched?, norm?): equal sizes; the optional ones at the end.
Types update(const Args& a) {
  const UpdateAttr& attr = a.get<UpdateAttr>();
  const size_t same = a.op == Op::adam_update ? 5 : 4;
  assert(a.in.size() == same + (attr.has_touched ? 1 : 0) + (attr.clip_norm > 0 ? 1 : 0));
  const Dims& dims = a.in[0].dims;
  for (const Value& v : a.in.first(same)) {
    if (!info(v.dtype).is_float) return wrong_dtype(a, "It wants floats, got " + text(v) + ".");
    HW_CHECK(exact_dims(a, v, dims));
  }
  if (attr.has_touched) {
    if (a.in[same].dtype != DType::u8)
      return wrong_dtype(a, "The touched mask must be u8, got " + text(a.in[same]) + ".");
    HW_CHECK(exact_dims(a, a.in[same], {(element_count(dims) + 15) / 16}));
  }
  if (attr.clip_norm > 0) HW_CHECK(exact_dims(a, a.in.back(), {}));
  return std::vector<Value>{};
}

Types (*rule(Op op))(const Args&) {
  switch (op) {
    case Op::cast:
      return cast;
    case Op::add:
    case Op::sub:
    case Op::mul:
      return broadcasting;
    case Op::scale:
      return scale;
    case Op::affine:
      return affine;
    case Op::clamp:
      return clamp;
    case Op::clamp_grad:
      return clamp_grad;
    case Op::relu:
    case Op::sigmoid:
      return unary;
    case Op::relu_grad:
    case Op::sigmoid_grad:
      return pointwise_gradient;
    case Op::gradient_scale:
      return gradient_scale;
    case Op::dropout:
      return dropout;
    case Op::matmul:
      return matmul;
    case Op::matmul_tn:
      return matmul_tn;
    case Op::sum_to:
      return sum_to;
    case Op::broadcast_to:
      return broadcast_to;
    case Op::reshape:
      return reshape;
    case Op::concat:
      return concat;
    case Op::slice:
      return slice;
    case Op::pad:
      return pad;
    case Op::hash_grid:
      return hash_grid;
    case Op::hash_grid_grad_table:
      return hash_grid_grad_table;
    case Op::hash_grid_grad_input:
      return hash_grid_grad_input;
    case Op::sample_surface:
      return sample_surface;
    case Op::gradient_norm:
      return gradient_norm;
    case Op::sgd_update:
    case Op::adam_update:
      return update;
  }
  assert(!"no such op");
  return nullptr;
}

}  // namespace

Result<std::vector<Value>> infer(Op op, std::span<const Value> in, const Attr& attr) {
  assert(info(op).inputs < 0 || static_cast<size_t>(info(op).inputs) == in.size());
  return rule(op)({op, in, attr});
}

}  // namespace hw
