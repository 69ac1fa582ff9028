// Encoders that look points up in a table: the hash grid and the triplane.
#include <algorithm>

#include "engine/core/sizes.h"
#include "engine/program/adjoint_rules.h"
#include "engine/program/infer_rules.h"

namespace hw::infer_rules {
namespace {

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

// x [N, 3], f32; f64 only beside planes or a gradient in f64.
Status triplane_position(const Args& a, const Value& beside) {
  const Value& x = a.in[0];
  if (x.dtype != DType::f32 && !(x.dtype == DType::f64 && beside.dtype == DType::f64))
    return wrong_dtype(a, "Positions must be f32, got " + std::string(name(x.dtype)) + ".");
  if (!info(beside.dtype).is_float) return wrong_dtype(a, "Features must be floats, got " + text(beside) + ".");
  if (x.dims.size() != 2 || x.dims[1] != 3) return wrong_rank(a, "Positions are [points, 3], got " + text(x) + ".");
  return ok();
}

Status three_planes(const Args& a, const Dims& dims) {
  const bool empty = std::any_of(dims.begin(), dims.end(), [](int64_t size) { return size < 1; });
  if (dims.size() == 4 && dims[0] == 3 && !empty) return ok();
  return wrong_size(a, "Planes are [3, C, H, W], none of them empty; got " + to_string(dims) + ".");
}

Dims table_dims(const HashGridAttr& grid) {
  return {grid.table_entries(), grid.features};
}

Dims encoded_dims(const Args& a) {
  const HashGridAttr& grid = a.get<HashGridAttr>();
  return {a.in[0].dims[0], size_product({static_cast<int64_t>(grid.levels.size()), grid.features})};
}

// A direction for each position: input k.
Status directions(const Args& a, size_t k) {
  if (a.in[k].dtype != a.in[0].dtype)
    return wrong_dtype(a, "Positions and directions differ: " + text(a.in[0]) + ", " + text(a.in[k]) + ".");
  return exact_dims(a, a.in[k], a.in[0].dims);
}

Status same_features(const Args& a, size_t first, size_t second) {
  if (a.in[first].dtype == a.in[second].dtype) return ok();
  return wrong_dtype(a, "Features and gradient differ: " + text(a.in[first]) + ", " + text(a.in[second]) + ".");
}

Dims looked_up_dims(const Args& a, const Dims& planes) {
  return {a.in[0].dims[0], size_product({3, planes[1]})};
}

DType wide(DType dtype) {
  return dtype == DType::f64 ? DType::f64 : DType::f32;
}

}  // namespace

Types hash_grid(const Args& a) {
  HW_CHECK(grid_position(a, a.in[1]));
  HW_CHECK(exact_dims(a, a.in[1], table_dims(a.get<HashGridAttr>())));
  return one(made(a.in[1].dtype, encoded_dims(a), a.in[0].axes));
}

Types hash_grid_grad_table(const Args& a) {
  HW_CHECK(grid_position(a, a.in[1]));
  HW_CHECK(exact_dims(a, a.in[1], encoded_dims(a)));
  const HashGridAttr& grid = a.get<HashGridAttr>();
  if (grid.gradient != DType::f32 && grid.gradient != DType::f16)
    return wrong_dtype(
        a, "The table's gradient is stored in f32 or f16, not in " + std::string(name(grid.gradient)) + ".");
  const Dims table = table_dims(grid);
  const DType dtype = a.in[1].dtype == DType::f64 ? DType::f64 : grid.gradient;
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

Types hash_grid_tangent(const Args& a) {
  HW_CHECK(directions(a, 2));
  return hash_grid(a);
}

Types hash_grid_tangent_grad_table(const Args& a) {
  HW_CHECK(grid_position(a, a.in[2]));
  HW_CHECK(directions(a, 1));
  HW_CHECK(exact_dims(a, a.in[2], encoded_dims(a)));
  return one(made(wide(a.in[2].dtype), table_dims(a.get<HashGridAttr>())));
}

Types hash_grid_tangent_grad_input(const Args& a) {
  HW_CHECK(grid_position(a, a.in[1]));
  HW_CHECK(exact_dims(a, a.in[1], table_dims(a.get<HashGridAttr>())));
  HW_CHECK(directions(a, 2));
  HW_CHECK(exact_dims(a, a.in[3], encoded_dims(a)));
  HW_CHECK(same_features(a, 1, 3));
  return one(made(a.in[0].dtype, a.in[0].dims, a.in[0].axes));
}

Types triplane(const Args& a) {
  HW_CHECK(triplane_position(a, a.in[1]));
  HW_CHECK(three_planes(a, a.in[1].dims));
  return one(made(a.in[1].dtype, {a.in[0].dims[0], size_product({3, a.in[1].dims[1]})}, a.in[0].axes));
}

Types triplane_grad_planes(const Args& a) {
  const Dims& planes = a.get<DimsAttr>().dims;
  HW_CHECK(triplane_position(a, a.in[1]));
  HW_CHECK(three_planes(a, planes));
  HW_CHECK(exact_dims(a, a.in[1], {a.in[0].dims[0], size_product({3, planes[1]})}));
  return one(made(a.in[1].dtype == DType::f64 ? DType::f64 : DType::f32, planes));
}

Types triplane_grad_input(const Args& a) {
  HW_CHECK(triplane_position(a, a.in[1]));
  HW_CHECK(three_planes(a, a.in[1].dims));
  HW_CHECK(exact_dims(a, a.in[2], {a.in[0].dims[0], size_product({3, a.in[1].dims[1]})}));
  if (a.in[1].dtype != a.in[2].dtype)
    return wrong_dtype(a, "Planes and gradient differ: " + text(a.in[1]) + ", " + text(a.in[2]) + ".");
  return one(made(a.in[0].dtype, a.in[0].dims, a.in[0].axes));
}

Types triplane_tangent(const Args& a) {
  HW_CHECK(directions(a, 2));
  return triplane(a);
}

Types triplane_tangent_grad_planes(const Args& a) {
  const Dims& planes = a.get<DimsAttr>().dims;
  HW_CHECK(triplane_position(a, a.in[2]));
  HW_CHECK(three_planes(a, planes));
  HW_CHECK(directions(a, 1));
  HW_CHECK(exact_dims(a, a.in[2], looked_up_dims(a, planes)));
  return one(made(wide(a.in[2].dtype), planes));
}

Types triplane_tangent_grad_input(const Args& a) {
  HW_CHECK(triplane_position(a, a.in[1]));
  HW_CHECK(three_planes(a, a.in[1].dims));
  HW_CHECK(directions(a, 2));
  HW_CHECK(exact_dims(a, a.in[3], looked_up_dims(a, a.in[1].dims)));
  HW_CHECK(same_features(a, 1, 3));
  return one(made(a.in[0].dtype, a.in[0].dims, a.in[0].axes));
}

}  // namespace hw::infer_rules

// Second derivatives of the encoders that look points up in a table: the hash grid and the triplane. Each is linear in
// its table T and smooth in the points x within a cell. With y(x, T), its derivative t(x, T, u) along directions u, and
// g a gradient of y:
//   grad_input = ∂(g·y)/∂x: by g t, by T ∂(g·t)/∂T, by x ∂(g·t)/∂x, all along what it is multiplied by;
//   grad_table = ∂(g·y)/∂T, which T is not in: by g y of what it is multiplied by, by x that one's grad_input.
// t itself goes the same way; ∂(g·t)/∂x has no further derivative. Borders of cells are kinks.
namespace hw::adjoint_rules {
namespace {

/// The ops of an encoder, with the attributes that each takes.
class Encoder {
 public:
  static Encoder hash_grid(AdjointContext& c) {
    return {c.b,
            {Op::hash_grid, Op::hash_grid_grad_input, Op::hash_grid_tangent, Op::hash_grid_tangent_grad_table,
             Op::hash_grid_tangent_grad_input},
            c.i.attr,
            c.i.attr};
  }
  static Encoder triplane(AdjointContext& c, const Dims& planes) {
    return {c.b,
            {Op::triplane, Op::triplane_grad_input, Op::triplane_tangent, Op::triplane_tangent_grad_planes,
             Op::triplane_tangent_grad_input},
            Attr{},
            DimsAttr{planes}};
  }

  Val look_up(Val x, Val table) { return b_.emit(ops_.look_up, {x, table}, attr_)[0]; }
  Val grad_input(Val x, Val table, Val g) { return b_.emit(ops_.grad_input, {x, table, like(g, table)}, attr_)[0]; }
  Val tangent(Val x, Val table, Val u) { return b_.emit(ops_.tangent, {x, table, like(u, x)}, attr_)[0]; }
  Val tangent_grad_table(Val x, Val u, Val g) {
    return b_.emit(ops_.tangent_grad_table, {x, like(u, x), g}, table_attr_)[0];
  }
  Val tangent_grad_input(Val x, Val table, Val u, Val g) {
    return b_.emit(ops_.tangent_grad_input, {x, table, like(u, x), like(g, table)}, attr_)[0];
  }

 private:
  struct Ops {
    Op look_up, grad_input, tangent, tangent_grad_table, tangent_grad_input;
  };
  Encoder(OpBuilder& b, Ops ops, Attr attr, Attr table_attr)
      : b_(b), ops_(ops), attr_(std::move(attr)), table_attr_(std::move(table_attr)) {}
  Val like(Val v, Val other) { return b_.status() ? b_.cast(v, b_[other].dtype) : Val{}; }

  OpBuilder& b_;
  Ops ops_;
  Attr attr_, table_attr_;
};

// (x, g)
void grad_table(AdjointContext& c, Encoder e) {
  if (c.wants(0)) c.give(0, e.grad_input(c.in(0), c.g, c.in(1)));
  if (c.wants(1)) c.give(1, e.look_up(c.in(0), c.g));
}

// (x, table, g)
void grad_input(AdjointContext& c, Encoder e) {
  if (c.wants(0)) c.give(0, e.tangent_grad_input(c.in(0), c.in(1), c.g, c.in(2)));
  if (c.wants(1)) c.give(1, e.tangent_grad_table(c.in(0), c.g, c.in(2)));
  if (c.wants(2)) c.give(2, e.tangent(c.in(0), c.in(1), c.g));
}

// (x, table, u)
void tangent(AdjointContext& c, Encoder e) {
  if (c.wants(0)) c.give(0, e.tangent_grad_input(c.in(0), c.in(1), c.in(2), c.g));
  if (c.wants(1)) c.give(1, e.tangent_grad_table(c.in(0), c.in(2), c.g));
  if (c.wants(2)) c.give(2, e.grad_input(c.in(0), c.in(1), c.g));
}

// (x, u, g)
void tangent_grad_table(AdjointContext& c, Encoder e) {
  if (c.wants(0)) c.give(0, e.tangent_grad_input(c.in(0), c.g, c.in(1), c.in(2)));
  if (c.wants(1)) c.give(1, e.grad_input(c.in(0), c.g, c.in(2)));
  if (c.wants(2)) c.give(2, e.tangent(c.in(0), c.g, c.in(1)));
}

}  // namespace

void hash_grid(AdjointContext& c) {
  if (c.wants(0)) c.give(0, c.b.emit(Op::hash_grid_grad_input, {c.in(0), c.in(1), c.g}, c.i.attr)[0]);
  if (!c.wants(1)) return;
  const std::vector<Val> made = c.b.emit(Op::hash_grid_grad_table, {c.in(0), c.g}, c.i.attr);
  // Optimisers read a parameter's gradient as it is stored: one in f16 stays so.
  const auto is_table = [&](const Param& p) { return p.view == c.i.in[1]; };
  const auto& params = c.b.program().params;
  if (c.attr<HashGridAttr>().gradient == DType::f16 && std::any_of(params.begin(), params.end(), is_table))
    c.given[1] = {made[0], made[1]};
  else
    c.give(1, made[0], made[1]);
}

void triplane(AdjointContext& c) {
  if (c.wants(0)) c.give(0, c.b.emit(Op::triplane_grad_input, {c.in(0), c.in(1), c.g})[0]);
  if (c.wants(1)) c.give(1, c.b.emit(Op::triplane_grad_planes, {c.in(0), c.g}, DimsAttr{c.dims(1)})[0]);
}

void hash_grid_grad_table(AdjointContext& c) {
  grad_table(c, Encoder::hash_grid(c));
}

void hash_grid_grad_input(AdjointContext& c) {
  grad_input(c, Encoder::hash_grid(c));
}

void hash_grid_tangent(AdjointContext& c) {
  tangent(c, Encoder::hash_grid(c));
}

void hash_grid_tangent_grad_table(AdjointContext& c) {
  tangent_grad_table(c, Encoder::hash_grid(c));
}

void triplane_grad_planes(AdjointContext& c) {
  grad_table(c, Encoder::triplane(c, c.attr<DimsAttr>().dims));
}

void triplane_grad_input(AdjointContext& c) {
  grad_input(c, Encoder::triplane(c, c.dims(1)));
}

void triplane_tangent(AdjointContext& c) {
  tangent(c, Encoder::triplane(c, c.dims(1)));
}

void triplane_tangent_grad_planes(AdjointContext& c) {
  tangent_grad_table(c, Encoder::triplane(c, c.attr<DimsAttr>().dims));
}

}  // namespace hw::adjoint_rules
