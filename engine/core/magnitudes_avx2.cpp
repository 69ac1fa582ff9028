// The counts of magnitudes for AVX2.
#if defined(__x86_64__)
#include "engine/core/magnitude_loops.inl"

namespace hw {

const MagnitudeKernels kMagnitudesAvx2 = kMagnitudeLoops;

}  // namespace hw
#endif
