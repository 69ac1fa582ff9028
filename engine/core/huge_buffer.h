// HugeBuffer: owned host memory, 64-byte aligned; large ones lie on 2 MiB boundaries and ask for huge pages, because
// random access to a hash-grid table through 4 KiB pages spends its time in TLB misses.
#pragma once

#include <cstddef>
#include <memory>

namespace hw {

class HugeBuffer {
 public:
  HugeBuffer() = default;
  /// Uninitialised; `zeroed`: all bytes 0, taken from the system as they are touched. Throws std::bad_alloc.
  explicit HugeBuffer(size_t bytes, bool zeroed = false);
  std::byte* data() const { return block_ ? data_ : nullptr; }
  size_t bytes() const { return bytes_; }

 private:
  struct Free {
    size_t alignment;  // of operator new; 0: it came from calloc
    void operator()(void* block) const;
  };
  using Block = std::unique_ptr<void, Free>;
  Block block_;
  std::byte* data_ = nullptr;  // in the block, aligned
  size_t bytes_ = 0;
};

}  // namespace hw
