// How far two kernels of one op may be apart on the same inputs.
#pragma once

#include "engine/program/program.h"

namespace hw {

/// Of a value stored in a dtype, for data near 1: what numpy.testing and torch.testing use; f8: half the distance of
/// neighbours. tf32: f16's, its significand is as long. Whole numbers and bool: none.
struct Tolerance {
  double relative = 0, absolute = 0;
};
Tolerance tolerance(DType dtype);

/// Elements that meet in one sum of output `out` of `instr`: K of a product, the group of a norm. Tolerances grow with
/// its root, as rounding errors of random sign do.
double sum_length(const Program& program, const Instr& instr, size_t out);

/// What one op's output may be off in each element: its own rounding, and what a sum of `length` terms gathers in
/// `accumulate`, of terms as large as `scale`.
class OpTolerance {
 public:
  OpTolerance(DType stored, DType accumulate, double length, double scale);
  double allowed(double reference) const;

 private:
  DType stored_;
  double relative_, gathered_, scale_;
};

/// As large as a result of `instr` comes where its terms do not cancel: of sums and products √K · the root mean squares
/// of their factors (of means that by K), of a norm's or softmax' gradient the largest term, of a colour looked up in a
/// texture its size in pixels, by which a rounded uv counts. Of other ops the largest element of `reference`, and of an
/// update's state that it was made from, but at most where `relative` of it is `absolute`. `inputs`: those of `instr`;
/// of an update its states before it, and the rest may be empty.
double scale_of(const Program& program, const Instr& instr, size_t out, const Tensor& reference,
                const std::vector<Tensor>& inputs);

}  // namespace hw
