#include "tests/engine/failing_memory.h"

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

namespace hw::test {
namespace {

std::atomic<bool> g_armed{false};
std::atomic<uint64_t> g_seen{0}, g_first{0}, g_end{0}, g_least{0};
thread_local bool t_spared = false;
std::atomic<bool> g_counts{false};
std::atomic<int64_t> g_held{0}, g_most{0};

void count(int64_t bytes) {
  const int64_t held = g_held.fetch_add(bytes) + bytes;
  for (int64_t most = g_most; held > most && !g_most.compare_exchange_weak(most, held);) {
  }
}

bool fails(size_t bytes) {
  if (!g_armed.load(std::memory_order_relaxed) || t_spared || bytes < g_least) return false;
  const uint64_t number = g_seen.fetch_add(1) + 1;
  return number >= g_first && number < g_end;
}

void* allocate(size_t bytes, size_t alignment) {
  if (fails(bytes)) throw std::bad_alloc();
  void* memory = alignment ? std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment)
                           : std::malloc(bytes ? bytes : 1);
  if (!memory) throw std::bad_alloc();
  if (alignment && g_counts) count(static_cast<int64_t>(malloc_usable_size(memory)));
  return memory;
}

void release_aligned(void* memory) {
  if (memory && g_counts) count(-static_cast<int64_t>(malloc_usable_size(memory)));
  std::free(memory);
}

}  // namespace

FailingMemory::FailingMemory(uint64_t first, uint64_t count, size_t least) {
  g_least = least;
  t_spared = true;
  g_seen = 0;
  g_first = first;
  g_end = first + count;
  g_armed = true;
}

FailingMemory::~FailingMemory() {
  g_armed = false;
  t_spared = false;
}

uint64_t FailingMemory::seen() const {
  return g_seen;
}

PeakMemory::PeakMemory() {
  g_held = g_most = 0;
  g_counts = true;
}

PeakMemory::~PeakMemory() {
  g_counts = false;
}

size_t PeakMemory::bytes() const {
  return static_cast<size_t>(g_most.load());
}

}  // namespace hw::test

void* operator new(size_t bytes) {
  return hw::test::allocate(bytes, 0);
}
void* operator new(size_t bytes, std::align_val_t alignment) {
  return hw::test::allocate(bytes, static_cast<size_t>(alignment));
}
void* operator new(size_t bytes, const std::nothrow_t&) noexcept try {
  return hw::test::allocate(bytes, 0);
} catch (const std::bad_alloc&) {
  return nullptr;
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  hw::test::release_aligned(memory);
}
void operator delete(void* memory, size_t, std::align_val_t) noexcept {
  hw::test::release_aligned(memory);
}
