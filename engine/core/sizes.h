// Arithmetic of sizes that cannot wrap around, and the check that a tensor fits into this machine. Every product and
// sum of sizes that a graph decides goes through here.
#pragma once

#include <initializer_list>
#include <optional>

#include "engine/core/dtype.h"
#include "engine/core/shape.h"

namespace hw {

/// Where counts and sizes saturate: the bytes of so many elements of any dtype, and the sum of two, fit into 64 bits.
inline constexpr int64_t kMostElements = int64_t{1} << 59;

/// The product of sizes, kMostElements where it is more. No factor may be negative.
constexpr int64_t size_product(std::initializer_list<int64_t> factors) {
  int64_t product = 1;
  for (const int64_t factor : factors) {
    if (factor == 0) return 0;
    product = product > kMostElements / factor ? kMostElements : product * factor;
  }
  return product;
}

/// The sum of sizes and what is taken off them, kMostElements where it is more, −kMostElements where it is less.
constexpr int64_t size_sum(std::initializer_list<int64_t> terms) {
  int64_t sum = 0;
  for (const int64_t term : terms) {
    if (__builtin_add_overflow(sum, term, &sum)) sum = term > 0 ? kMostElements : -kMostElements;
    sum = sum > kMostElements ? kMostElements : sum < -kMostElements ? -kMostElements : sum;
  }
  return sum;
}

/// Bytes of a tensor, none of whose sizes is symbolic.
size_t byte_count(DType dtype, const Dims& dims);
/// packed_bytes of a count that a file names; nothing where 64 bits do not hold it.
std::optional<uint64_t> checked_bytes(uint64_t bits, uint64_t count);

/// Bytes of the largest memory that a tensor could lie in: this machine's, or that of a GPU with more. Any thread.
size_t size_limit();
/// A GPU with so many bytes was found. Any thread.
void raise_size_limit(size_t bytes);

/// Whether a tensor could lie in the largest memory there is if that had nothing else to hold; symbolic and empty axes
/// count as 1. Error HW-R001 with both sizes, `where` empty.
Status check_size(DType dtype, const Dims& dims);

}  // namespace hw
