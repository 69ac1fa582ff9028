// The automatic layout, on graphs drawn at random and on some whose best picture is known.
#include "engine/layout/layout.h"

#include <gtest/gtest.h>

#include "tests/engine/layout_drawing.h"

namespace hw::layout {
namespace {

TEST(Layout, BoxesNeverOverlapAndLieOnTheGrid) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const int n = 1 + static_cast<int>(seed) * 7;
    const Drawing d = random_drawing(seed, n, 2 * n, seed % 3 == 0 ? n : 5, seed % 2 == 0 ? 20 : 0);
    const auto places = lay_out(d.boxes, d.wires);
    ASSERT_TRUE(places);
    EXPECT_EQ(overlaps(d, *places), 0) << "seed " << seed;
    for (const Place& place : *places) {
      EXPECT_EQ(place.x % 8, 0);
      EXPECT_EQ(place.y % 8, 0);
    }
  }
}

TEST(Layout, WiresWithoutCyclesLeadRight) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Drawing d = random_drawing(seed, 150, 300, seed % 2 == 0 ? 150 : 4, 0);
    const auto places = lay_out(d.boxes, d.wires);
    ASSERT_TRUE(places);
    for (const Wire& wire : d.wires) {
      const Place from = (*places)[static_cast<size_t>(wire.from)], to = (*places)[static_cast<size_t>(wire.to)];
      EXPECT_LT(from.x + d.boxes[static_cast<size_t>(wire.from)].width, to.x) << "seed " << seed;
    }
  }
}

TEST(Layout, TheSameGraphLooksTheSame) {
  const Drawing d = random_drawing(3, 200, 400, 200, 10);
  EXPECT_EQ(*lay_out(d.boxes, d.wires), *lay_out(d.boxes, d.wires));
}

TEST(Layout, NothingIsMadeOfNothing) {
  EXPECT_TRUE(lay_out({}, {})->empty());
  Drawing one;
  one.add();
  one.wire(0, 0);
  EXPECT_EQ(lay_out(one.boxes, one.wires)->front(), (Place{0, 0}));
}

TEST(Layout, StopsWhenAsked) {
  const Drawing d = random_drawing(5, 500, 1000, 500, 0);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(lay_out(d.boxes, d.wires, {}, stop.get_token()));
}

TEST(Layout, OnlyTheWireThatClosesACycleLeadsLeft) {
  Drawing d;
  for (int i = 0; i < 4; ++i) d.add();
  d.wire(0, 1);
  d.wire(1, 2);
  d.wire(2, 3);
  d.wire(3, 1, 0, 1);
  const auto places = lay_out(d.boxes, d.wires);
  for (size_t i = 1; i < 4; ++i) EXPECT_GT((*places)[i].x, (*places)[i - 1].x);
}

TEST(Layout, AChainIsStraight) {
  Drawing d;
  for (int i = 0; i < 12; ++i) d.add(1 + i % 4);
  for (int i = 0; i < 11; ++i) d.wire(i, i + 1);
  const auto places = lay_out(d.boxes, d.wires);
  for (const Place& place : *places) EXPECT_EQ(place.y, 0);
}

TEST(Layout, ASourceStandsNextToWhatReadsIt) {
  Drawing d;
  for (int i = 0; i < 6; ++i) d.add(2);
  for (int i = 0; i < 4; ++i) d.wire(i, i + 1);
  d.wire(5, 4, 0, 1);
  const auto places = lay_out(d.boxes, d.wires);
  EXPECT_EQ((*places)[5].x, (*places)[3].x);
}

TEST(Layout, SocketsInOrderKeepWiresFromCrossing) {
  Drawing d;
  const int sink = d.add(5);
  for (int input = 4; input >= 0; --input) d.wire(d.add(), sink, 0, input);
  EXPECT_EQ(crossings(d.boxes, d.wires, *lay_out(d.boxes, d.wires)), 0);
}

TEST(Layout, ATreeHasNoCrossing) {
  Drawing d;
  d.add(2);
  for (int i = 1; i < 63; ++i) {
    d.add(2);
    d.wire(i, (i - 1) / 2, 0, (i - 1) % 2);
  }
  EXPECT_EQ(crossings(d.boxes, d.wires, *lay_out(d.boxes, d.wires)), 0);
}

TEST(Layout, ALadderHasNoCrossing) {
  Drawing d;  // two chains with rungs, given in a bad order
  for (int i = 0; i < 20; ++i) d.add(2);
  for (int i = 0; i + 2 < 20; ++i) d.wire(i, i + 2);
  for (int i = 0; i + 3 < 20; i += 2) d.wire(i, i + 3, 0, 1);
  EXPECT_LE(crossings(d.boxes, d.wires, *lay_out(d.boxes, d.wires)), 0);
}

/// Wires drawn as straight lines that pass behind a box at neither of their ends.
int hidden(const Drawing& d, const std::vector<Place>& places) {
  int count = 0;
  for (const Wire& wire : d.wires) {
    const Place from = places[static_cast<size_t>(wire.from)], to = places[static_cast<size_t>(wire.to)];
    const double x = from.x + d.boxes[static_cast<size_t>(wire.from)].width, y = from.y + wire.out_y;
    for (size_t box = 0; box < places.size(); ++box) {
      if (static_cast<int>(box) == wire.from || static_cast<int>(box) == wire.to) continue;
      const Place at = places[box];
      bool behind = false;
      for (double t = 0; t <= 1; t += 1.0 / 64) {
        const double px = x + t * (to.x - x), py = y + t * (to.y + wire.in_y - y);
        behind =
            behind || (px > at.x && px < at.x + d.boxes[box].width && py > at.y && py < at.y + d.boxes[box].height);
      }
      count += behind;
    }
  }
  return count;
}

TEST(Layout, WiresAroundBlocksAreStraightAndNotHidden) {
  Drawing d;
  int last = d.add();
  std::vector<Wire> around;
  for (int block = 0; block < 7; ++block) {  // as many as are not folded
    const int a = d.add(4), b = d.add(3), sum = d.add(2);
    d.wire(last, a);
    d.wire(a, b);
    d.wire(b, sum);
    d.wire(last, sum, 0, 1);
    around.push_back(d.wires.back());
    last = sum;
  }
  const auto places = *lay_out(d.boxes, d.wires);
  EXPECT_EQ(crossings(d.boxes, d.wires, places), 0);
  EXPECT_EQ(hidden(d, places), 0);
  for (const Wire& wire : around) {
    EXPECT_EQ(places[static_cast<size_t>(wire.from)].y + wire.out_y,
              places[static_cast<size_t>(wire.to)].y + wire.in_y);
  }
}

TEST(Layout, SidesStandFirstAndLastInTheirOrder) {
  Drawing d;
  const int late = d.add(), early = d.add(), a = d.add(), b = d.add(2), out = d.add(), out_2 = d.add();
  d.boxes[static_cast<size_t>(late)].side = d.boxes[static_cast<size_t>(early)].side = Side::first;
  d.boxes[static_cast<size_t>(out)].side = d.boxes[static_cast<size_t>(out_2)].side = Side::last;
  d.wire(late, b, 0, 1);  // would lie below
  d.wire(early, a);
  d.wire(a, b);
  d.wire(b, out_2);
  d.wire(a, out);
  const auto places = *lay_out(d.boxes, d.wires);
  const auto at = [&](int box) { return places[static_cast<size_t>(box)]; };
  EXPECT_EQ(at(late).x, at(early).x);
  EXPECT_LT(at(late).y, at(early).y);
  EXPECT_EQ(at(out).x, at(out_2).x);
  EXPECT_LT(at(out).y, at(out_2).y);
  EXPECT_GT(at(out).x, at(b).x);
}

TEST(Layout, PartsLieApart) {
  Drawing d;
  for (int i = 0; i < 9; ++i) d.add();
  d.wire(0, 1);
  d.wire(1, 2);
  d.wire(4, 5);
  const auto places = lay_out(d.boxes, d.wires);
  EXPECT_EQ(overlaps(d, *places), 0);
  EXPECT_NE((*places)[0].y, (*places)[4].y);
}

}  // namespace
}  // namespace hw::layout
