// How far two kernels of one op may be apart on the same inputs.
#pragma once

#include "engine/program/program.h"

namespace hw {

/// Of a value stored in a dtype, for data near 1: what numpy.testing and torch.testing use, but for f64, of which they
/// would let one rounding to f32 pass; f8: half the distance of neighbours. tf32: f16's, its significand is as long.
/// Whole numbers and bool: none.
struct Tolerance {
  double relative = 0, absolute = 0;
};
Tolerance tolerance(DType dtype);

/// Elements that meet in one sum of output `out` of `instr`: K of a product, the group of a norm. Tolerances grow with
/// its root, as rounding errors of random sign do.
double sum_length(const Program& program, const Instr& instr, size_t out);

/// Ops that compute nothing: copies, choices and casts. Every device gives the same numbers.
bool gives_exact_numbers(const Instr& instr);

/// What one op's output may be off in each element: one rounding to the dtype it is stored in, and what its arithmetic
/// (f32, of f64 f64) and a sum of `length` terms in `accumulate` gather, of terms as large as `scale`.
class OpTolerance {
 public:
  OpTolerance(DType stored, DType accumulate, double length, double scale);
  /// Of `instr`, an output or a state that it writes. `reference`: what it should be; `inputs`: see scale_of.
  OpTolerance(const Program& program, const Instr& instr, size_t out, DType accumulate, const Tensor& reference,
              const std::vector<Tensor>& inputs);
  /// Beside another device's result, which is rounded too: one may be the neighbour of the other.
  double allowed(double reference) const;
  /// Beside the result as it is before it is rounded.
  double allowed_unrounded(double exact) const;

 private:
  double gathered(double size) const;
  DType stored_;
  bool exact_ = false;
  double gathered_, scale_;
};

/// As large as a result of `instr` comes where its terms do not cancel: of sums and products √K · the root mean squares
/// of their factors (of means that by K), and their bias, of a grid's slopes those times the finest level's scale, of a
/// norm's or softmax' gradient the largest term, of random numbers the ends of their range, of a colour looked up in a
/// texture its size in pixels, by which a rounded uv counts. Of other ops the largest element of `reference`, and of an
/// update's state that it was made from, but at most where `relative` of it is `absolute`. `inputs`: those of `instr`;
/// of an update its states before it, and the rest may be empty.
double scale_of(const Program& program, const Instr& instr, size_t out, const Tensor& reference,
                const std::vector<Tensor>& inputs);

}  // namespace hw
