// Which launches of a step may run beside each other.
#include "engine/backend/gpu/levels.h"

#include <gtest/gtest.h>

#include <array>

namespace hw::gpu {
namespace {

using testing::Test;

class LevelsOf : public Test {
 protected:
  std::array<std::byte, 1024> memory{};
  MemoryRange at(size_t begin, size_t bytes) { return {memory.data() + begin, bytes}; }
};

TEST_F(LevelsOf, LetsThoseThatReadTheSameRunBesideEachOther) {
  const Levels levels = levels_of({{{}, {at(0, 64)}, 1},
                                   {{at(0, 64)}, {at(64, 64)}, 1},
                                   {{at(0, 64)}, {at(128, 64)}, 2},
                                   {{at(64, 64), at(128, 64)}, {at(192, 64)}, 1}});
  EXPECT_EQ(levels.first, (std::vector<size_t>{0, 1, 1, 3}));
  EXPECT_EQ(levels.count, 4u);
}

TEST_F(LevelsOf, WaitsForWhoReadsOrWritesAPartOfWhatItWrites) {
  EXPECT_EQ(levels_of({{{at(0, 100)}, {}, 1}, {{}, {at(96, 8)}, 1}}).first, (std::vector<size_t>{0, 1}));
  EXPECT_EQ(levels_of({{{}, {at(0, 100)}, 3}, {{}, {at(96, 8)}, 1}}).first, (std::vector<size_t>{0, 3}));
  EXPECT_EQ(levels_of({{{}, {at(0, 96)}, 1}, {{}, {at(96, 8)}, 1}}).first, (std::vector<size_t>{0, 0}));
  // A part of two, and a whole around them.
  EXPECT_EQ(levels_of({{{}, {at(0, 10)}, 1}, {{at(5, 10)}, {}, 1}, {{}, {at(14, 1)}, 1}, {{at(0, 1024)}, {}, 1}}).first,
            (std::vector<size_t>{0, 1, 2, 3}));
}

TEST_F(LevelsOf, KeepsLittleScratchApartWherePiecesOverlap) {
  const Levels levels =
      levels_of({{{}, {at(0, 8)}, 2, 256}, {{}, {at(8, 8)}, 1, 512}, {{at(0, 8)}, {at(16, 8)}, 1, 256}});
  EXPECT_EQ(levels.first, (std::vector<size_t>{0, 0, 2}));
  EXPECT_NE(levels.scratch_at[0], levels.scratch_at[1]);
  EXPECT_EQ(levels.scratch_bytes, 768u);
}

TEST_F(LevelsOf, SharesMuchScratchOneBehindTheOther) {
  const size_t much = size_t{1} << 20;
  const Levels levels =
      levels_of({{{}, {at(0, 8)}, 2, much}, {{}, {at(8, 8)}, 1, 2 * much}, {{}, {at(16, 8)}, 1, 256}});
  EXPECT_EQ(levels.first, (std::vector<size_t>{0, 2, 0}));
  EXPECT_EQ(levels.scratch_at, (std::vector<size_t>{0, 0, 2 * much}));
  EXPECT_EQ(levels.scratch_bytes, 2 * much + 256);
}

}  // namespace
}  // namespace hw::gpu
