// make_hash_grid against tiny-cuda-nn's known parameter counts.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/program/program.h"

namespace hw {
namespace {

uint64_t parameters(const HashGridAttr& grid) {
  return uint64_t{grid.table_entries()} * static_cast<uint64_t>(grid.features);
}

TEST(HashGridLayout, known_parameter_counts) {
  EXPECT_EQ(parameters(make_hash_grid(3, 20, 2, 16, 32, 1.5, false)), 2'555'904u);
  EXPECT_EQ(parameters(make_hash_grid(3, 16, 2, 19, 16, std::exp(std::log(256.0) / 15), false)), 12'599'920u);
}

TEST(HashGridLayout, levels_follow_each_other_and_know_whether_they_are_dense) {
  const HashGridAttr grid = make_hash_grid(3, 16, 2, 19, 16, 2.0, false);
  uint32_t offset = 0;
  for (size_t l = 0; l < grid.levels.size(); ++l) {
    const HashGridLevel& level = grid.levels[l];
    EXPECT_EQ(level.scale, 16.f * std::exp2(float(l)) - 1);
    EXPECT_EQ(level.resolution, 16u << l);
    EXPECT_EQ(level.offset, offset);
    EXPECT_EQ(level.entries % 8, 0u);
    EXPECT_EQ(level.dense, std::pow(level.resolution, 3) <= level.entries);
    offset += level.entries;
  }
  EXPECT_TRUE(grid.levels[0].dense);
  EXPECT_EQ(grid.levels[0].entries, 4096u);
  EXPECT_FALSE(grid.levels[3].dense);
  EXPECT_EQ(grid.levels[3].entries, 1u << 19);
  EXPECT_EQ(make_hash_grid(2, 1, 4, 10, 5, 2, false).levels[0].entries, 32u);  // 25 rounded up to eights
}

}  // namespace
}  // namespace hw
