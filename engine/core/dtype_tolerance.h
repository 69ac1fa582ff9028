// How close two results in a dtype must be.
#pragma once

#include "engine/core/dtype.h"

namespace hw {

/// The tolerance of a value stored in a dtype, for data near 1: what numpy.testing and torch.testing use, but for f64,
/// of which they would let one rounding to f32 pass; f8: half the distance of neighbours. tf32: f16's, its significand
/// is as long. Whole numbers and bool: none.
struct Tolerance {
  double relative = 0, absolute = 0;
};
Tolerance tolerance(DType dtype);

}  // namespace hw
