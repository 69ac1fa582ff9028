// Allocations that fail when a test asks for it, on every thread but the test's own; and what is held at most.
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

/// While it lives, how much memory aligned to more than a number is held: the buffers of values, kernels and threads.
/// One at a time.
class PeakMemory {
 public:
  PeakMemory();
  ~PeakMemory();
  PeakMemory(const PeakMemory&) = delete;
  PeakMemory& operator=(const PeakMemory&) = delete;
  /// The most bytes so far, beyond those that were held when it was made.
  size_t bytes() const;
};

}  // namespace hw::test
