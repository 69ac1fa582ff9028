#include "engine/core/magnitudes.h"

#include <cassert>

#include "engine/core/convert.h"
#include "engine/core/magnitude_loops.inl"

namespace hw {
namespace {

template <class Bits>
double decoded(DType dtype, Bits bits) {
  double value = 0;
  convert(DType::f64, &value, dtype, &bits, 1);
  return value;
}

template <class Bits>
MagnitudeLimits<Bits> limits_of(const DTypeInfo& row) {
  MagnitudeLimits<Bits> limits;
  limits.has_inf = row.has_inf;
  limits.first_bad = row.has_inf ? static_cast<Bits>(((Bits{1} << row.exponent_bits) - 1) << row.mantissa_bits)
                                 : std::numeric_limits<Bits>::max() >> 1;
  limits.max = static_cast<Bits>(limits.first_bad - 1);
  limits.normal = static_cast<Bits>(Bits{1} << row.mantissa_bits);
  return limits;
}

template <class Bits>
Magnitudes counted(DType dtype, MagnitudeCounts<Bits> (*count)(const MagnitudeLimits<Bits>&, const Bits*, int64_t),
                   const void* elements, int64_t n) {
  const MagnitudeCounts<Bits> c = count(limits_of<Bits>(info(dtype)), static_cast<const Bits*>(elements), n);
  Magnitudes m;
  m.zeros = c.zeros;
  m.subnormal = c.subnormal;
  m.saturated = c.saturated;
  m.infs = c.infs;
  m.nans = c.nans;
  m.first_bad = c.first_bad;
  if (c.high == 0) return m;
  m.smallest = decoded(dtype, static_cast<Bits>(c.low + 1));
  m.largest = decoded(dtype, c.high);
  return m;
}

}  // namespace

const MagnitudeKernels kMagnitudesScalar = kMagnitudeLoops;

const MagnitudeKernels& magnitude_kernels(Isa isa) {
  assert(isa <= detected_isa());
#if defined(__x86_64__)
  if (isa == Isa::avx512) return kMagnitudesAvx512;
  if (isa == Isa::avx2) return kMagnitudesAvx2;
#endif
  (void)isa;
  return kMagnitudesScalar;
}

Magnitudes magnitudes_of(DType dtype, const void* elements, int64_t count) {
  if (!info(dtype).is_float) return {};
  const MagnitudeKernels& k = magnitude_kernels(best_isa());
  switch (size_of(dtype)) {
    case 1:
      return counted(dtype, k.count8, elements, count);
    case 2:
      return counted(dtype, k.count16, elements, count);
    case 4:
      return counted(dtype, k.count32, elements, count);
    default:
      return counted(dtype, k.count64, elements, count);
  }
}

Magnitudes magnitudes_of(const Tensor& tensor) {
  return magnitudes_of(tensor.dtype(), tensor.data(), tensor.size());
}

double element_of(const Tensor& tensor, int64_t index) {
  double value = 0;
  const auto* bytes = static_cast<const std::byte*>(tensor.data());
  convert(DType::f64, &value, tensor.dtype(), bytes + static_cast<size_t>(index) * size_of(tensor.dtype()), 1);
  return value;
}

}  // namespace hw
