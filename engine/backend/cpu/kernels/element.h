// One element of an operand, whatever its dtype: for kernels that gather.
#pragma once

#include "engine/backend/cpu/kernels/block_io.h"

namespace hw::cpu {

/// Element `at` of `x`, a float of any dtype, as Real.
template <class Real>
Real element(const Operand& x, int64_t at) {
  if (x.dtype == DType::f32) return static_cast<Real>(x.as<float>()[at]);
  if (x.dtype == DType::f64) return static_cast<Real>(x.as<double>()[at]);
  if (x.dtype == DType::f16) return static_cast<Real>(f16_to_f32(x.as<uint16_t>()[at]));
  if (x.dtype == DType::bf16) return static_cast<Real>(bf16_to_f32(x.as<uint16_t>()[at]));
  float value;
  convert(DType::f32, &value, x.dtype, x.as<uint8_t>() + at, 1);
  return static_cast<Real>(value);
}

}  // namespace hw::cpu
