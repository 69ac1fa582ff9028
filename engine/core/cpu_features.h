// Which instruction set the hand-vectorised code may use on this machine.
#pragma once

#include <string_view>

namespace hw {

/// Each level contains the ones before it. scalar: the x86-64-v2 baseline, or another architecture.
/// avx2: AVX2, FMA, F16C. avx512: F, BW, DQ, VL.
enum class Isa { scalar, avx2, avx512 };

/// The best level the CPU and the operating system have.
Isa detected_isa();
/// detected_isa(), lowered by the environment variable HALFWIRE_ISA (scalar, avx2, avx512) if it names a lower level;
/// read once. Everything that dispatches at run time asks this.
Isa best_isa();
/// "scalar", "avx2", "avx512".
std::string_view name(Isa isa);

}  // namespace hw
