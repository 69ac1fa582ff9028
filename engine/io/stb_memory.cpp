#include "engine/io/stb_memory.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace hw {
namespace {

constexpr size_t kHeader = alignof(std::max_align_t);  // holds a block's size, and keeps what follows aligned
constexpr size_t kNoLimit = std::numeric_limits<size_t>::max();

thread_local size_t t_most = kNoLimit, t_held = 0;
thread_local bool t_exceeded = false;

std::byte* block_of(void* memory) {
  return static_cast<std::byte*>(memory) - kHeader;
}

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

}  // namespace hw
