// The one place where the cpu's kernels round what they computed in f32 or f64.
#include "engine/backend/cpu/kernel.h"
#include "engine/core/convert.h"

namespace hw::cpu {

void store(const Operand& out, int64_t first, int64_t count, DType from, const void* numbers, bool saturate) {
  std::byte* to = out.data + static_cast<size_t>(first) * size_of(out.dtype);
  convert(out.dtype, to, from, numbers, static_cast<size_t>(count), saturate);
  if (out.losses) out.losses->add(out.dtype, to, from, numbers, count);
}

}  // namespace hw::cpu
