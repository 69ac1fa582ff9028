// row_order: every epoch is a permutation of its own.
#include "engine/kernels/row_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace hw {
namespace {

std::vector<uint64_t> epoch_of(uint64_t count, uint64_t epoch, bool shuffle, uint64_t seed = 3, uint32_t stream = 7) {
  std::vector<uint64_t> rows;
  for (uint64_t i = 0; i < count; ++i) rows.push_back(kernels::row_of(epoch * count + i, count, shuffle, seed, stream));
  return rows;
}

TEST(RowOrder, EveryRowOnceAnEpoch) {
  for (const uint64_t count : {1u, 2u, 3u, 4u, 5u, 17u, 64u, 65u, 1000u, 10000u}) {
    for (const uint64_t epoch : {0u, 1u, 2u}) {
      std::vector<uint64_t> rows = epoch_of(count, epoch, true);
      std::sort(rows.begin(), rows.end());
      for (uint64_t i = 0; i < count; ++i) ASSERT_EQ(rows[i], i) << count << " rows, epoch " << epoch;
    }
  }
}

TEST(RowOrder, EpochsSeedsAndStreamsDiffer) {
  const auto first = epoch_of(1000, 0, true);
  EXPECT_EQ(first, epoch_of(1000, 0, true));
  EXPECT_NE(first, epoch_of(1000, 1, true));
  EXPECT_NE(first, epoch_of(1000, 0, true, 4));
  EXPECT_NE(first, epoch_of(1000, 0, true, 3, 8));
}

TEST(RowOrder, ShufflesThoroughly) {
  // Rows that follow one another and rows left in place: as rare as chance makes them, 1 of 10,000 each on average.
  const auto rows = epoch_of(10000, 0, true);
  int neighbours = 0, fixed = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    neighbours += i > 0 && rows[i] == rows[i - 1] + 1;
    fixed += rows[i] == i;
  }
  EXPECT_LT(neighbours, 10);
  EXPECT_LT(fixed, 10);
}

TEST(RowOrder, InOrderWhenNotShuffled) {
  EXPECT_EQ(epoch_of(4, 5, false), (std::vector<uint64_t>{0, 1, 2, 3}));
}

}  // namespace
}  // namespace hw
