// An array's values in the dtype of the wire that it is given to: converted, with a note on what that changed.
#pragma once

#include <string>

#include "engine/core/result.h"
#include "engine/core/tensor.h"

namespace hw {

struct FittedTensor {
  Tensor tensor;
  std::string note = {};  // what the conversion changed, a sentence; "": no value, however it was stored
};
/// To floats values are rounded to nearest, even, once. Whole numbers and bool take only the values that they have:
/// Error HW-D001 at `where` with the first other one (a fraction, NaN, beyond the range), its place and the remedy.
Result<FittedTensor> fit_dtype(const Tensor& tensor, DType dtype, const std::string& where);

}  // namespace hw
