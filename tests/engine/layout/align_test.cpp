// Boxes in line, at equal distances, and pushed aside.
#include "engine/layout/align.h"

#include <gtest/gtest.h>

namespace hw::layout {
namespace {

using Places = std::vector<Place>;
const std::vector<Box> kBoxes{{100, 40}, {200, 80}, {100, 20}};
const Places kPlaces{{0, 0}, {30, 100}, {500, 7}};

TEST(Align, MovesAlongOneAxisAlone) {
  EXPECT_EQ(aligned(kBoxes, kPlaces, Line::left), (Places{{0, 0}, {0, 100}, {0, 7}}));
  EXPECT_EQ(aligned(kBoxes, kPlaces, Line::right), (Places{{500, 0}, {400, 100}, {500, 7}}));
  EXPECT_EQ(aligned(kBoxes, kPlaces, Line::middle_x), (Places{{250, 0}, {200, 100}, {250, 7}}));
  EXPECT_EQ(aligned(kBoxes, kPlaces, Line::top), (Places{{0, 0}, {30, 0}, {500, 0}}));
  EXPECT_EQ(aligned(kBoxes, kPlaces, Line::bottom), (Places{{0, 140}, {30, 100}, {500, 160}}));
  EXPECT_EQ(aligned(kBoxes, kPlaces, Line::middle_y), (Places{{0, 70}, {30, 50}, {500, 80}}));
  EXPECT_EQ(aligned({}, {}, Line::left), Places());
}

TEST(Align, EqualGapsBetweenTheOutermost) {
  EXPECT_EQ(distributed(kBoxes, kPlaces, true, 10), (Places{{0, 0}, {200, 100}, {500, 7}}));
  // In the order they have, whatever their numbers.
  EXPECT_EQ(distributed({{10, 10}, {10, 10}, {10, 10}}, {{0, 200}, {0, 0}, {0, 40}}, false, 10),
            (Places{{0, 200}, {0, 0}, {0, 100}}));
}

TEST(Align, WhereThereIsTooLittleRoomGapsGrow) {
  EXPECT_EQ(distributed({{100, 40}, {100, 40}, {100, 40}}, {{0, 0}, {10, 0}, {20, 0}}, true, 32),
            (Places{{0, 0}, {132, 0}, {264, 0}}));
}

TEST(MakeRoom, WhatIsBehindMovesRightTogether) {
  // a → x → b → c, x dropped between a and b; `other` has nothing to do with it.
  const std::vector<Box> boxes{{200, 80}, {200, 80}, {200, 80}, {200, 80}, {200, 80}};
  const std::vector<Wire> wires{{0, 1}, {1, 2}, {2, 3}};
  const Places now = with_room(boxes, wires, {{0, 0}, {120, 0}, {240, 0}, {480, 0}, {0, 400}}, 1, 40, 8);
  EXPECT_EQ(now, (Places{{0, 0}, {240, 0}, {480, 0}, {720, 0}, {0, 400}}));
}

TEST(MakeRoom, NothingMovesWhereThereIsRoom) {
  const std::vector<Box> boxes{{200, 80}, {200, 80}, {200, 80}};
  const Places places{{0, 0}, {240, 0}, {480, 0}};
  EXPECT_EQ(with_room(boxes, {{0, 1}, {1, 2}}, places, 1, 40, 8), places);
  const Places below{{0, 0}, {120, 200}, {240, 0}};
  EXPECT_EQ(with_room(boxes, {{0, 1}, {1, 2}}, below, 1, 40, 8), below);
}

TEST(MakeRoom, WhatWouldBeCoveredIsPushedToo) {
  // x → b; `other`, to the right of b, is wired to neither.
  const std::vector<Box> boxes{{200, 80}, {200, 80}, {200, 80}};
  const Places now = with_room(boxes, {{0, 1}}, {{0, 0}, {200, 0}, {440, 10}}, 0, 40, 8);
  EXPECT_EQ(now, (Places{{0, 0}, {240, 0}, {480, 10}}));
}

TEST(MakeRoom, WhatLiesNearerThanTheGapIsNotCovered) {
  const std::vector<Box> boxes{{200, 80}, {200, 80}, {200, 80}};
  const Places now = with_room(boxes, {{0, 1}}, {{0, 0}, {200, 0}, {416, 10}}, 0, 40, 8);
  EXPECT_EQ(now, (Places{{0, 0}, {240, 0}, {456, 10}}));
}

TEST(MakeRoom, ACycleAndWhatLiesToTheLeftStay) {
  const std::vector<Box> boxes{{200, 80}, {200, 80}, {200, 80}};
  // x → b → left → x
  const Places now = with_room(boxes, {{0, 1}, {1, 2}, {2, 0}}, {{0, 0}, {104, 0}, {-600, 0}}, 0, 40, 8);
  EXPECT_EQ(now, (Places{{0, 0}, {240, 0}, {-600, 0}}));
}

}  // namespace
}  // namespace hw::layout
