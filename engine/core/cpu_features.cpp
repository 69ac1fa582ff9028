// CPU feature detection through the compiler's cpuid support.
#include "engine/core/cpu_features.h"

#ifdef __x86_64__
#include <cpuid.h>
#endif

#include <cstdlib>

namespace hw {

Isa detected_isa() {
#if defined(__x86_64__)
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;  // Clang 14's __builtin_cpu_supports does not know f16c
  const bool f16c = __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & bit_F16C);
  if (!f16c || !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return Isa::scalar;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return Isa::avx512;
  return Isa::avx2;
#else
  return Isa::scalar;
#endif
}

Isa best_isa() {
  static const Isa isa = [] {
    const Isa found = detected_isa();
    const char* wish = std::getenv("HALFWIRE_ISA");
    if (!wish) return found;
    for (Isa level : {Isa::scalar, Isa::avx2, Isa::avx512})
      if (name(level) == wish && level < found) return level;
    return found;
  }();
  return isa;
}

std::string_view name(Isa isa) {
  constexpr std::string_view kNames[] = {"scalar", "avx2", "avx512"};
  return kNames[static_cast<int>(isa)];
}

}  // namespace hw
