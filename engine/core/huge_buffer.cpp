#include "engine/core/huge_buffer.h"

#include <sys/mman.h>

#include <cstdlib>
#include <memory>
#include <new>

namespace hw {

void HugeBuffer::Free::operator()(void* block) const {
  if (alignment) {
    ::operator delete (block, std::align_val_t{alignment});
  } else {
    std::free(block);
  }
}

HugeBuffer::HugeBuffer(size_t bytes, bool zeroed) : bytes_(bytes) {
  constexpr size_t kHuge = size_t{2} << 20, kLine = 64;
  const size_t alignment = bytes >= kHuge ? kHuge : kLine;
  const size_t rounded = (bytes / alignment + 1) * alignment;
  if (rounded < bytes || rounded + alignment < rounded) throw std::bad_alloc();
  // calloc leaves fresh pages of the system, which are 0, untouched; there is no aligned one.
  block_ = zeroed ? Block(std::calloc(1, rounded + alignment), Free{0})
                  : Block(::operator new (rounded, std::align_val_t{alignment}), Free{alignment});
  if (!block_) throw std::bad_alloc();
  void* aligned = block_.get();
  size_t room = rounded + alignment;
  if (zeroed) aligned = std::align(alignment, rounded, aligned, room);
  data_ = static_cast<std::byte*>(aligned);
#ifdef MADV_HUGEPAGE
  // A last page that would be half empty costs memory: 2.25 MiB would take 4. A hint: failure is harmless.
  const size_t last = bytes % kHuge;
  if (alignment == kHuge) madvise(data_, bytes - last + (last > kHuge / 2 ? kHuge : 0), MADV_HUGEPAGE);
#endif
}

}  // namespace hw
