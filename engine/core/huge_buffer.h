// HugeBuffer: owned host memory, 64-byte aligned; large ones lie on 2 MiB boundaries and ask for huge pages, because
// random access to a hash-grid table through 4 KiB pages spends its time in TLB misses.
#pragma once

#include <cstddef>
#include <memory>

namespace hw {

class HugeBuffer {
 public:
  HugeBuffer() = default;
  /// Uninitialised; `zeroed`: all bytes 0. Throws std::bad_alloc.
  explicit HugeBuffer(size_t bytes, bool zeroed = false);
  std::byte* data() const { return data_.get(); }
  size_t bytes() const { return bytes_; }

 private:
  struct Free {
    void operator()(std::byte* p) const;
  };
  std::unique_ptr<std::byte, Free> data_;
  size_t bytes_ = 0;
};

}  // namespace hw
