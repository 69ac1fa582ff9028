#include "engine/core/huge_buffer.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <new>

namespace hw {

void HugeBuffer::Free::operator()(std::byte* p) const {
  std::free(p);
}

HugeBuffer::HugeBuffer(size_t bytes, bool zeroed) : bytes_(bytes) {
  constexpr size_t kHuge = size_t{2} << 20, kLine = 64;
  const size_t alignment = bytes >= kHuge ? kHuge : kLine;
  const size_t rounded = (bytes / alignment + 1) * alignment;
  if (rounded < bytes) throw std::bad_alloc();
  data_.reset(static_cast<std::byte*>(std::aligned_alloc(alignment, rounded)));
  if (!data_) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  if (alignment == kHuge) madvise(data_.get(), rounded, MADV_HUGEPAGE);  // a hint: failure is harmless
#endif
  if (zeroed) std::memset(data_.get(), 0, rounded);
}

}  // namespace hw
