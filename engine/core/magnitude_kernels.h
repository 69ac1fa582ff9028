// The vectorised counts behind magnitudes_of, one table per instruction set. All give the same numbers.
#pragma once

#include <cstdint>

#include "engine/core/cpu_features.h"

namespace hw {

/// Magnitudes as the bits below the sign: they order as the numbers do, Inf and NaN above all of them.
template <class Bits>
struct MagnitudeLimits {
  Bits normal = 0;     // the smallest normal number
  Bits max = 0;        // the largest finite number
  Bits first_bad = 0;  // Inf, or the one NaN of a format without Inf
  bool has_inf = false;
};

/// The counts; of finite elements also `high` and `low` (the smallest that is not 0, less 1; all bits set: none).
template <class Bits>
struct MagnitudeCounts {
  Bits high = 0, low = static_cast<Bits>(-1);
  int64_t zeros = 0, subnormal = 0, saturated = 0, infs = 0, nans = 0;
  int64_t first_bad = -1;  // flat index
};

/// Over `count` elements at any alignment of theirs.
struct MagnitudeKernels {
  MagnitudeCounts<uint8_t> (*count8)(const MagnitudeLimits<uint8_t>& limits, const uint8_t* x, int64_t count);
  MagnitudeCounts<uint16_t> (*count16)(const MagnitudeLimits<uint16_t>& limits, const uint16_t* x, int64_t count);
  MagnitudeCounts<uint32_t> (*count32)(const MagnitudeLimits<uint32_t>& limits, const uint32_t* x, int64_t count);
  MagnitudeCounts<uint64_t> (*count64)(const MagnitudeLimits<uint64_t>& limits, const uint64_t* x, int64_t count);
};

/// The table for `isa`; asserts that this CPU has it.
const MagnitudeKernels& magnitude_kernels(Isa isa);

extern const MagnitudeKernels kMagnitudesScalar, kMagnitudesAvx2, kMagnitudesAvx512;

}  // namespace hw
