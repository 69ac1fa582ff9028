// What an adjoint rule sees. One rule an op: OpSpec::adjoint.
#pragma once

#include "engine/program/builder.h"

namespace hw {

/// One forward instruction on the way back. `g` is the gradient of its first output, in that output's sizes and dtype;
/// where the output is one number, in f32 at least. A rule appends ops through `b` and gives a gradient to each input
/// that wants one.
class AdjointContext {
 public:
  /// What a rule gave to one input. `touched`: the mask of a sparse gradient.
  struct Given {
    Val grad, touched;
  };

  AdjointContext(OpBuilder& builder, const Instr& instr, Val grad, std::vector<bool> wanted, std::vector<DType> dtypes)
      : b(builder), i(instr), g(grad), given(instr.in.size()), wanted_(std::move(wanted)), dtypes_(std::move(dtypes)) {}

  bool wants(size_t k) const { return wanted_[k]; }
  /// The dtype that input k's gradient is stored in: its own, or its master's for a parameter.
  DType dtype(size_t k) const { return dtypes_[k]; }
  /// Input k, in g's dtype where that is wider than the output's.
  Val in(size_t k) const { return beside_g({i.in[k]}); }
  Val out() const { return beside_g({i.out[0]}); }
  const Dims& dims(size_t k) const { return b[Val{i.in[k]}].dims; }
  template <class A>
  const A& attr() const {
    return std::get<A>(i.attr);
  }

  /// `grad` summed down to input k's sizes (the reverse of broadcasting) and converted to its gradient dtype.
  Val fit(size_t k, Val grad) {
    if (!b.status()) return {};
    return b[grad].dims == dims(k) ? b.cast(grad, dtype(k)) : b.sum_to(grad, dims(k), dtype(k));
  }
  void give(size_t k, Val grad, Val touched = {}) { given[k] = {fit(k, grad), touched}; }

  OpBuilder& b;
  const Instr& i;
  const Val g;
  std::vector<Given> given;
  double pending = 1;  // factor by which this rule scaled the gradient and that a parameter must divide out

 private:
  Val beside_g(Val x) const {
    const DType dtype = b[x].dtype, wide = b[g].dtype;
    const bool widens = info(dtype).is_float && size_of(dtype) < size_of(wide) && wide != b[Val{i.out[0]}].dtype;
    return widens ? b.cast(x, wide) : x;
  }

  std::vector<bool> wanted_;
  std::vector<DType> dtypes_;
};

namespace adjoint_rules {
// ---- arithmetic, products, layout, grids: adjoint_rules.cpp
void stops(AdjointContext&);  // no gradient passes, and that is meant: of stop_gradient alone
void cast(AdjointContext&);
void add(AdjointContext&);
void sub(AdjointContext&);
void mul(AdjointContext&);
void scale(AdjointContext&);
void affine(AdjointContext&);
void clamp(AdjointContext&);
void relu(AdjointContext&);
void sigmoid(AdjointContext&);
void gradient_scale(AdjointContext&);
void dropout(AdjointContext&);
void matmul(AdjointContext&);
void batch_matmul(AdjointContext&);
void matmul_tn(AdjointContext&);
void sum_to(AdjointContext&);
void broadcast_to(AdjointContext&);
void reshape(AdjointContext&);
void concat(AdjointContext&);
void slice(AdjointContext&);
void pad(AdjointContext&);
void transpose(AdjointContext&);
void hash_grid(AdjointContext&);
void gather(AdjointContext&);
void triplane(AdjointContext&);
// ---- function tables, softmax, indices: adjoint_functions.cpp
void unary(AdjointContext&);
void binary(AdjointContext&);
void where(AdjointContext&);
void reduce(AdjointContext&);
void softmax(AdjointContext&);
void gather_elements(AdjointContext&);
// ---- convolution, pooling, resizing, normalisation: adjoint_image_rules.cpp
void conv2d(AdjointContext&);
void conv2d_grad_input(AdjointContext&);
void conv2d_grad_weight(AdjointContext&);
void max_pool(AdjointContext&);
void avg_pool(AdjointContext&);
void resize(AdjointContext&);
void batch_norm(AdjointContext&);
void group_norm(AdjointContext&);
// ---- of gradients: adjoint_second_order.cpp
void relu_grad(AdjointContext&);
void clamp_grad(AdjointContext&);
void sigmoid_grad(AdjointContext&);
void unary_grad(AdjointContext&);
void binary_grad(AdjointContext&);
void softmax_grad(AdjointContext&);
void gather_elements_grad(AdjointContext&);
void gather_grad(AdjointContext&);
void avg_pool_grad(AdjointContext&);
void resize_grad(AdjointContext&);
// ---- of the hash grid's and the triplane's gradients: adjoint_grid_gradients.cpp
void hash_grid_grad_table(AdjointContext&);
void hash_grid_grad_input(AdjointContext&);
void hash_grid_tangent(AdjointContext&);
void hash_grid_tangent_grad_table(AdjointContext&);
void triplane_grad_planes(AdjointContext&);
void triplane_grad_input(AdjointContext&);
void triplane_tangent(AdjointContext&);
void triplane_tangent_grad_planes(AdjointContext&);
// ---- of gradients of normalisations: adjoint_norm_gradients.cpp
void batch_norm_grad_sums(AdjointContext&);
void batch_norm_grad_input(AdjointContext&);
void group_norm_grad_input(AdjointContext&);
void group_norm_grad_sums(AdjointContext&);
}  // namespace adjoint_rules

}  // namespace hw
