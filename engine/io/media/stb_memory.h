// The memory of stb. Its picture decoders may take so much only: they inflate what a file holds before they compare it
// with the size that its header names. Its writer takes it for granted that there is some.
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

/// While it lives, stb's writer may be called on this thread: where memory is lacking it throws std::bad_alloc, and
/// what it had then is freed with this. One at a time on a thread.
class StbWriterMemory {
 public:
  StbWriterMemory();
  ~StbWriterMemory();
  StbWriterMemory(const StbWriterMemory&) = delete;
  StbWriterMemory& operator=(const StbWriterMemory&) = delete;
};

// stb's allocators. Memory of one thread is freed on the same.
void* stb_allocate(size_t bytes);
void* stb_reallocate(void* memory, size_t bytes);
void stb_free(void* memory);
void* stb_writer_reallocate(void* memory, size_t bytes);
void stb_writer_free(void* memory);

}  // namespace hw
