// Allocations that fail when a test asks for it, on every thread but the test's own.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hw::test {

/// While it lives, allocation number `first` (from 1) of other threads, and the `count` − 1 after it, throw
/// std::bad_alloc; those below `least` bytes are neither counted nor failed. One at a time; made and destroyed on the
/// thread that is spared.
class FailingMemory {
 public:
  explicit FailingMemory(uint64_t first, uint64_t count = 1, size_t least = 0);
  ~FailingMemory();
  FailingMemory(const FailingMemory&) = delete;
  FailingMemory& operator=(const FailingMemory&) = delete;
  /// Allocations of other threads so far.
  uint64_t seen() const;
};

}  // namespace hw::test
