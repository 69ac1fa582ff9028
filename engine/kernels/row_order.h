// row_order: which row of a data set the i-th sample of a run is. Shuffled: every epoch is a permutation of the rows,
// so that none comes twice in an epoch, and nothing is stored. A Feistel network over an even number of bits, with
// Philox for its rounds, walked until it lands inside (Black and Rogaway 2002, cycle walking).
#pragma once

#include "engine/core/philox.h"
#include "engine/kernels/body.h"

namespace hw::kernels {

inline constexpr int kFeistelRounds = 4;

/// A permutation of [0, count) for (seed, stream, epoch); count ≥ 1, at < count.
HW_BODY uint64_t permuted(uint64_t at, uint64_t count, uint64_t seed, uint32_t stream, uint64_t epoch) {
  int half = 1;
  while (half < 31 && (uint64_t{1} << (2 * half)) < count) ++half;
  const uint64_t mask = (uint64_t{1} << half) - 1;
  do {
    uint64_t left = at >> half, right = at & mask;
    for (uint64_t round = 0; round < kFeistelRounds; ++round) {
      const uint64_t mixed = left ^ (philox_block(seed, stream, epoch, round << 32 | right)[0] & mask);
      left = right;
      right = mixed;
    }
    at = left << half | right;
  } while (at >= count);
  return at;
}

/// Sample `index` of a run over `count` rows, counted from its first step on; batches may straddle epochs.
HW_BODY uint64_t row_of(uint64_t index, uint64_t count, bool shuffle, uint64_t seed, uint32_t stream) {
  const uint64_t epoch = index / count, at = index % count;
  return shuffle ? permuted(at, count, seed, stream, epoch) : at;
}

}  // namespace hw::kernels
