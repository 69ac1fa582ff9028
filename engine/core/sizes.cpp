#include "engine/core/sizes.h"

#include <algorithm>
#include <atomic>

#include "engine/core/codes.h"
#include "engine/core/memory.h"

namespace hw {
namespace {

std::atomic<size_t> g_largest_gpu{0};  // bytes

}  // namespace

size_t size_limit() {
  return std::max(machine_memory(), g_largest_gpu.load(std::memory_order_relaxed));
}

void raise_size_limit(size_t bytes) {
  size_t known = g_largest_gpu.load(std::memory_order_relaxed);
  while (known < bytes && !g_largest_gpu.compare_exchange_weak(known, bytes, std::memory_order_relaxed)) {
  }
}

size_t byte_count(DType dtype, const Dims& dims) {
  return byte_count(dtype, element_count(dims));
}

std::optional<uint64_t> checked_bytes(uint64_t bits, uint64_t count) {
  uint64_t bytes = 0;
  if (__builtin_mul_overflow(count / 8, bits, &bytes) ||
      __builtin_add_overflow(bytes, packed_bytes(bits, count % 8), &bytes))
    return std::nullopt;
  return bytes;
}

Status check_size(DType dtype, const Dims& dims) {
  // An empty axis holds nothing, but strides and sizes of parts are products of the others.
  int64_t count = 1;
  for (const int64_t size : dims) count = size_product({count, size < 1 ? 1 : size});
  const size_t bytes = byte_count(dtype, count);
  const size_t limit = size_limit();
  if (bytes <= limit) return ok();
  const std::string size = count == kMostElements ? "more than 2^59 elements" : memory_text(bytes);
  return Error{codes::out_of_memory, "",
               std::string(name(dtype)) + to_string(dims) + " would be " + size + "; " +
                   (limit > machine_memory() ? "the largest GPU" : "this machine") + " has " + memory_text(limit) +
                   " of memory.",
               "Make its sizes smaller."};
}

}  // namespace hw
