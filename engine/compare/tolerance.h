// How far two kernels of one op may be apart on the same inputs.
#pragma once

#include "engine/core/dtype_tolerance.h"
#include "engine/program/rounding.h"

namespace hw {

/// What one op's output may be off in each element: one rounding to the dtype it is stored in, and what its arithmetic
/// (f32, of f64 f64) and a sum of `length` terms in `accumulate` gather, of terms as large as `scale`.
class OpTolerance {
 public:
  OpTolerance(DType stored, DType accumulate, double length, double scale);
  /// For `instr`: an output or a state that it writes. `reference`: what it should be; `inputs`: see scale_of.
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

}  // namespace hw
