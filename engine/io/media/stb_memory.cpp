#include "engine/io/media/stb_memory.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <new>

namespace hw {
namespace {

constexpr size_t kHeader = alignof(std::max_align_t);  // holds a block's size, and keeps what follows aligned
constexpr size_t kNoLimit = std::numeric_limits<size_t>::max();

thread_local size_t t_most = kNoLimit, t_held = 0;
thread_local bool t_exceeded = false;

std::byte* block_of(void* memory) {
  return static_cast<std::byte*>(memory) - kHeader;
}

/// Before each block of the writer: a ring of all that it has.
struct alignas(std::max_align_t) WriterBlock {
  WriterBlock *before, *after;
};
thread_local WriterBlock t_written{&t_written, &t_written};

}  // namespace

StbMemory::StbMemory(size_t most) {
  t_most = most;
  t_held = 0;
  t_exceeded = false;
}

StbMemory::~StbMemory() {
  t_most = kNoLimit;
}

bool StbMemory::exceeded() const {
  return t_exceeded;
}

void* stb_allocate(size_t bytes) {
  return stb_reallocate(nullptr, bytes);
}

void* stb_reallocate(void* memory, size_t bytes) {
  std::byte* old = memory ? block_of(memory) : nullptr;
  const size_t before = old ? *reinterpret_cast<size_t*>(old) : 0;
  if (bytes > kNoLimit - kHeader || (bytes > before && bytes - before > t_most - std::min(t_held, t_most))) {
    t_exceeded = true;
    return nullptr;
  }
  auto* block = static_cast<std::byte*>(std::realloc(old, bytes + kHeader));
  if (!block) return nullptr;
  *reinterpret_cast<size_t*>(block) = bytes;
  t_held += bytes - before;
  return block + kHeader;
}

void stb_free(void* memory) {
  if (!memory) return;
  std::byte* block = block_of(memory);
  t_held -= *reinterpret_cast<size_t*>(block);
  std::free(block);
}

StbWriterMemory::StbWriterMemory() = default;

StbWriterMemory::~StbWriterMemory() {
  while (t_written.after != &t_written) stb_writer_free(t_written.after + 1);
}

void* stb_writer_reallocate(void* memory, size_t bytes) {
  WriterBlock* old = memory ? static_cast<WriterBlock*>(memory) - 1 : nullptr;
  auto* block = static_cast<WriterBlock*>(std::realloc(old, sizeof(WriterBlock) + bytes));
  if (!block) throw std::bad_alloc();
  if (!old) *block = {&t_written, t_written.after};
  block->before->after = block->after->before = block;
  return block + 1;
}

void stb_writer_free(void* memory) {
  if (!memory) return;
  WriterBlock* block = static_cast<WriterBlock*>(memory) - 1;
  block->before->after = block->after;
  block->after->before = block->before;
  std::free(block);
}

}  // namespace hw
