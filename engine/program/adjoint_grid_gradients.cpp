// Second derivatives of the encoders that look points up in a table: the hash grid and the triplane. Each is linear in
// its table T and smooth in the points x within a cell. With y(x, T), its derivative t(x, T, u) along directions u, and
// g a gradient of y:
//   grad_input = ∂(g·y)/∂x: by g t, by T ∂(g·t)/∂T, by x ∂(g·t)/∂x, all along what it is multiplied by;
//   grad_table = ∂(g·y)/∂T, which T is not in: by g y of what it is multiplied by, by x that one's grad_input.
// t itself goes the same way; ∂(g·t)/∂x has no further derivative. Borders of cells are kinks.
#include "engine/program/adjoint_rules.h"

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
