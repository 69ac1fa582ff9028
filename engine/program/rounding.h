// What rounds in an op: how many terms meet in a sum, and how large they come.
#pragma once

#include "engine/program/program.h"

namespace hw {

/// Elements that meet in one sum of output `out` of `instr`: K of a product, the group of a norm. Tolerances grow with
/// its root, as rounding errors of random sign do.
double sum_length(const Program& program, const Instr& instr, size_t out);

/// Ops that compute nothing: copies, choices and casts. Every device gives the same numbers.
bool gives_exact_numbers(const Instr& instr);

/// As large as a result of `instr` comes where its terms do not cancel: of sums and products √K · the root mean squares
/// of their factors (of means that by K), and their bias, of a grid's slopes those times the finest level's scale, of a
/// norm's or softmax' gradient the largest term, of random numbers the ends of their range, of a colour looked up in a
/// texture its size in pixels, by which a rounded uv counts. Of other ops the largest element of `reference`, and of an
/// update's state that it was made from, but at most where `relative` of it is `absolute`. `inputs`: those of `instr`;
/// of an update its states before it, and the rest may be empty.
double scale_of(const Program& program, const Instr& instr, size_t out, const Tensor& reference,
                const std::vector<Tensor>& inputs);

/// An op's part in the three.
struct Rounding {
  double (*length)(const Program&, const Instr&, size_t out) = nullptr;
  double (*scale)(const Program&, const Instr&, size_t out, double largest,
                  const std::vector<Tensor>& inputs) = nullptr;
  bool exact = false;
};

namespace rounding {

namespace length {
using P = Program;
double one(const P&, const Instr&, size_t);  // no sum
double matmul(const P&, const Instr&, size_t);
double matmul_tn(const P&, const Instr&, size_t);
double batch_matmul(const P&, const Instr&, size_t);
double folded(const P&, const Instr&, size_t);  // inputs for each output
double channel_moments(const P&, const Instr&, size_t);
double softmax(const P&, const Instr&, size_t);
double conv2d(const P&, const Instr&, size_t);
double conv2d_grad(const P&, const Instr&, size_t);
double channel(const P&, const Instr&, size_t);  // all elements of one
double group(const P&, const Instr&, size_t);    // GroupNormAttr::group_size
double hash_grid(const P&, const Instr&, size_t);
double hash_grid_grad_input(const P&, const Instr&, size_t);
double grid_tangent(const P&, const Instr&, size_t);  // of the hash grid and the triplane
double triplane(const P&, const Instr&, size_t);
double triplane_grad_input(const P&, const Instr&, size_t);
double points(const P&, const Instr&, size_t);  // rows of input 0
double index(const P&, const Instr&, size_t);   // elements of input 1
double gradient_norm(const P&, const Instr&, size_t);
}  // namespace length

/// `largest`: the largest element of the reference, and of a bias.
namespace scale {
using P = Program;
using Tensors = std::vector<Tensor>;
double pointwise(const P&, const Instr&, size_t, double largest, const Tensors&);
double product(const P&, const Instr&, size_t, double largest, const Tensors&);  // of inputs 0 and 1
double sum_of(const P&, const Instr&, size_t, double largest, const Tensor&);
template <size_t k>  // of input k
double sum(const P& p, const Instr& instr, size_t out, double largest, const Tensors& inputs) {
  return sum_of(p, instr, out, largest, inputs[k]);
}
double mean(const P&, const Instr&, size_t, double largest, const Tensors&);
double grid_slopes(const P&, const Instr&, size_t, double largest, const Tensors&);  // of inputs 1 and 2
double grid_bends(const P&, const Instr&, size_t, double largest, const Tensors&);   // of inputs 1, 2 and 3
double softmax_grad(const P&, const Instr&, size_t, double largest, const Tensors&);
double batch_norm_grad_input(const P&, const Instr&, size_t, double largest, const Tensors&);
double group_norm_grad_input(const P&, const Instr&, size_t, double largest, const Tensors&);
double update(const P&, const Instr&, size_t, double largest, const Tensors&);
double random(const P&, const Instr&, size_t, double largest, const Tensors&);
double sample_surface(const P&, const Instr&, size_t, double largest, const Tensors&);
}  // namespace scale

inline constexpr Rounding kExact{length::one, scale::pointwise, true};
inline constexpr Rounding kPointwise{length::one, scale::pointwise};

}  // namespace rounding

}  // namespace hw
