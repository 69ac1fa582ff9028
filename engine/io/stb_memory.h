// The memory that stb's picture decoders may take: they inflate what a file holds before they compare it with the size
// that its header names.
#pragma once

#include <cstddef>

namespace hw {

/// While it lives, stb's decoders on this thread hold at most so many bytes at a time; more, and they fail. One at a
/// time on a thread.
class StbMemory {
 public:
  explicit StbMemory(size_t most);
  ~StbMemory();
  StbMemory(const StbMemory&) = delete;
  StbMemory& operator=(const StbMemory&) = delete;
  /// Whether more was asked for.
  bool exceeded() const;
};

// stb's allocator. Memory of one thread is freed on the same.
void* stb_allocate(size_t bytes);
void* stb_reallocate(void* memory, size_t bytes);
void stb_free(void* memory);

}  // namespace hw
