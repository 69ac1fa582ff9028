// The counts of magnitudes for AVX-512.
#if defined(__x86_64__)
#include "engine/core/magnitude_loops.inl"

namespace hw {

const MagnitudeKernels kMagnitudesAvx512 = kMagnitudeLoops;

}  // namespace hw
#endif
