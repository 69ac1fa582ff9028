// Directions in which derivatives of a block of numbers are taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hw {

/// The element `index`, or, where that is negative, every element by a random factor in [−1, 1].
struct Direction {
  int64_t index = -1;
  uint64_t random = 0;
};

/// Each element of a block of at most `all_up_to`; of a larger one 16 random directions, then the 16 elements of
/// largest gradient, then 16 others. The same for the same `stream` and gradient.
class Directions {
 public:
  Directions(const std::vector<double>& gradient, uint32_t stream, size_t all_up_to);
  const std::vector<Direction>& list() const { return list_; }
  /// `factor` times the direction, into `size` numbers.
  void fill(const Direction& d, double factor, double* out, size_t size) const;

 private:
  uint32_t stream_;
  std::vector<Direction> list_;
};

}  // namespace hw
