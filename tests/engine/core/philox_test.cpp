// Philox4x32-10 against the known answers of Random123, and the stream layout.
#include "engine/core/philox.h"

#include <gtest/gtest.h>

namespace hw {
namespace {

TEST(Philox, known_answers) {
  EXPECT_EQ(philox4x32_10({0, 0, 0, 0}, 0, 0), (Philox4{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const uint32_t f = 0xffffffff;
  EXPECT_EQ(philox4x32_10({f, f, f, f}, f, f), (Philox4{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32_10({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0xa4093822, 0x299f31d0),
            (Philox4{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, block_places_index_node_step_and_seed) {
  EXPECT_EQ(philox_block(0x299f31d0a4093822, 0x13198a2e, 0x03707344, 0x85a308d3243f6a88),
            (Philox4{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
  EXPECT_NE(philox_block(1, 2, 3, 4), philox_block(1, 2, 4, 4));
  EXPECT_NE(philox_block(1, 2, 3, 4), philox_block(1, 3, 3, 4));
  EXPECT_NE(philox_block(1, 2, 3, 4), philox_block(2, 2, 3, 4));
}

TEST(Philox, uniform_is_below_one) {
  EXPECT_EQ(uniform01(0), 0.f);
  EXPECT_EQ(uniform01(0xffffffff), 1.f - 0x1p-24f);
}

}  // namespace
}  // namespace hw
