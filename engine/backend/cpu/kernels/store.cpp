// Where the cpu's kernels round what they computed in f32 or f64, and count what that takes away.
#include <chrono>

#include "engine/backend/cpu/kernels/kernel.h"
#include "engine/core/convert.h"

namespace hw::cpu {

void store(const Operand& out, int64_t first, int64_t count, DType from, const void* numbers, bool saturate) {
  std::byte* to = out.data + static_cast<size_t>(first) * size_of(out.dtype);
  convert(out.dtype, to, from, numbers, static_cast<size_t>(count), saturate);
  if (out.losses) count_losses(*out.losses, out.dtype, to, from, numbers, count);
}

void count_losses(RoundingLosses& losses, DType to, const void* stored, DType from, const void* numbers,
                  int64_t count) {
  const auto begin = std::chrono::steady_clock::now();
  losses.add(to, stored, from, numbers, count);
  losses.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace hw::cpu
