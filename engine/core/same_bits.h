// Whether two tensors are the same, bit by bit.
#pragma once

#include <cstring>

#include "engine/core/tensor.h"

namespace hw {

/// The same dtype, sizes and bits. A NaN is the same as itself; 0 and −0 are not the same.
inline bool same_bits(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.dims() == b.dims() &&
         (a.bytes() == 0 || a.data() == b.data() || std::memcmp(a.data(), b.data(), a.bytes()) == 0);
}

}  // namespace hw
