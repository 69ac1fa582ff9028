// What a ref op sees: its inputs as f64, its outputs to fill. One function an op.
#pragma once

#include <vector>

#include "engine/backend/backend.h"
#include "engine/kernels/surface_sampler.h"

namespace hw::ref {

/// A tensor widened to f64. `dtype` is how it is stored.
struct Wide {
  DType dtype = DType::f64;
  Dims dims;
  std::vector<double> v;

  double& operator[](size_t i) { return v[i]; }
  double operator[](size_t i) const { return v[i]; }
  size_t size() const { return v.size(); }
};

struct Call {
  const Instr& instr;
  const StepInputs& step;
  const kernels::SurfaceTable* surface;  // sample_surface only
  std::vector<Wide> in;                  // an update op changes its states here; they are stored back
  std::vector<Wide> out;                 // dims and dtype set, values zero

  template <class A>
  const A& attr() const {
    return std::get<A>(instr.attr);
  }
  /// `count`: elements, points or rows that the op draws.
  Draw draw(const RandomStream& random, size_t count) const { return draw_of(random, step.seed, step.step, count); }
};

using RefOp = void (*)(Call&);
/// Never null.
RefOp ref_op(Op op);
/// Index into a tensor of `from` dims for the element at `index` of the broadcast `to` dims.
size_t broadcast_index(size_t index, const Dims& to, const Dims& from);

/// x with as many significant bits as `dtype` has, nearest even; beyond its largest number ±Inf, or NaN where it has
/// none. tf32 too.
double rounded(double x, DType dtype);
/// x as `dtype` stores it: a float rounded, an integer without its fraction and held in its range (NaN: 0), bool x ≠ 0.
double stored(double x, DType dtype);
/// The factor of a product as its compute dtype makes it; none: as it is.
Wide factor(const Wide& x, std::optional<DType> compute);

// ---- families, in files of their own
void cast(Call&);
void unary(Call&);
void unary_grad(Call&);
void binary(Call&);
void binary_grad(Call&);
void compare(Call&);
void where(Call&);
void reduce(Call&);
void softmax(Call&);
void softmax_grad(Call&);
void argmax(Call&);
void gather_elements(Call&);
void gather_elements_grad(Call&);
void matmul(Call&);
void matmul_tn(Call&);
void batch_matmul(Call&);
void sum_to(Call&);
void broadcast_to(Call&);
void reshape(Call&);
void concat(Call&);
void slice(Call&);
void pad(Call&);
void transpose(Call&);
void hash_grid(Call&);
void hash_grid_grad_table(Call&);
void hash_grid_grad_input(Call&);
void hash_grid_tangent(Call&);
void hash_grid_tangent_grad_table(Call&);
void hash_grid_tangent_grad_input(Call&);
void gather(Call&);
void gather_grad(Call&);
void triplane(Call&);
void triplane_grad_planes(Call&);
void triplane_grad_input(Call&);
void triplane_tangent(Call&);
void triplane_tangent_grad_planes(Call&);
void triplane_tangent_grad_input(Call&);
void conv2d(Call&);
void conv2d_grad_input(Call&);
void conv2d_grad_weight(Call&);
void max_pool(Call&);
void max_pool_grad(Call&);
void avg_pool(Call&);
void avg_pool_grad(Call&);
void resize(Call&);
void resize_grad(Call&);
void channel_moments(Call&);
void batch_norm(Call&);
void batch_norm_grad_sums(Call&);
void batch_norm_grad_input(Call&);
void moments_update(Call&);
void group_norm(Call&);
void group_norm_grad_input(Call&);
void group_norm_grad_sums(Call&);
void dropout(Call&);
void sample_surface(Call&);
void sample_image(Call&);
void sample_rows(Call&);
void random(Call&);
void gradient_norm(Call&);
void check_finite(Call&);
void loss_scale_update(Call&);
#define HW_UPDATE(name, ...) void name##_update(Call&);
#include "engine/program/optimisers.def"
void accumulate(Call&);
void average_update(Call&);

}  // namespace hw::ref
