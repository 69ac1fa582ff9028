// Long chains in rows, and boxes that stay together in clusters.
#include <gtest/gtest.h>

#include <set>

#include "engine/layout/clusters.h"
#include "tests/engine/layout_drawing.h"

namespace hw::layout {
namespace {

struct Extent {
  int width = 0, height = 0;
};

Extent extent_of(const Drawing& d, const std::vector<Place>& places) {
  Extent all;
  for (size_t i = 0; i < places.size(); ++i) {
    all.width = std::max(all.width, places[i].x + d.boxes[i].width);
    all.height = std::max(all.height, places[i].y + d.boxes[i].height);
  }
  return all;
}

/// Blocks of three boxes, each with a wire round it.
Drawing residual_chain(int blocks) {
  Drawing d;
  int last = d.add();
  for (int block = 0; block < blocks; ++block) {
    const int a = d.add(4), b = d.add(3), sum = d.add(2);
    d.wire(last, a);
    d.wire(a, b);
    d.wire(b, sum);
    d.wire(last, sum, 0, 1);
    last = sum;
  }
  return d;
}

Drawing chain(int length) {
  Drawing d;
  for (int i = 0; i < length; ++i) d.add(1 + i % 4);
  for (int i = 0; i + 1 < length; ++i) d.wire(i, i + 1);
  return d;
}

/// Wires that lead left, as a text's lines end.
int returns(const Drawing& d, const std::vector<Place>& places) {
  return static_cast<int>(std::count_if(d.wires.begin(), d.wires.end(), [&](const Wire& wire) {
    return places[static_cast<size_t>(wire.to)].x <= places[static_cast<size_t>(wire.from)].x;
  }));
}

TEST(LayoutFold, AChainOfSixtyIsAboutAsWideAsAWindow) {
  const Drawing d = chain(60);
  const auto places = *lay_out(d.boxes, d.wires);
  const Extent all = extent_of(d, places);
  EXPECT_GT(all.width, all.height);
  EXPECT_LT(all.width, 3 * all.height);
  EXPECT_EQ(overlaps(d, places), 0);
  // Rows: each begins at the left, and the wire to it is the only one that leads left.
  std::set<int> rows;
  for (const Place& place : places) rows.insert(place.y);
  EXPECT_EQ(returns(d, places), static_cast<int>(rows.size()) - 1);
  EXPECT_GE(rows.size(), 4u);
  for (size_t i = 1; i < places.size(); ++i) {
    if (places[i].x <= places[i - 1].x) {
      EXPECT_EQ(places[i].x, 0);
      EXPECT_GT(places[i].y, places[i - 1].y + d.boxes[i - 1].height + 64) << "room for the wire that leads back";
    } else {
      EXPECT_EQ(places[i].y, places[i - 1].y);
    }
  }
}

TEST(LayoutFold, IsCutBetweenBlocksNotInThem) {
  const Drawing d = residual_chain(20);
  const auto places = *lay_out(d.boxes, d.wires);
  const Extent all = extent_of(d, places);
  EXPECT_LT(all.width, 3 * all.height);
  EXPECT_EQ(overlaps(d, places), 0);
  for (int block = 0; block < 20; ++block) {
    const auto at = [&](int box) { return places[static_cast<size_t>(1 + 3 * block + box)]; };
    EXPECT_LT(at(0).x, at(1).x) << block;
    EXPECT_LT(at(1).x, at(2).x) << block;
  }
}

TEST(LayoutFold, LeavesShortChainsAndBroadGraphsAsTheyAre) {
  const Drawing brief = chain(14);
  EXPECT_EQ(returns(brief, *lay_out(brief.boxes, brief.wires)), 0);
  // Every box is read by the last one, too: no place to cut.
  Drawing dense = chain(60);
  for (int i = 0; i < 40; ++i) dense.wire(i, i + 20, 1, 1);
  EXPECT_EQ(returns(dense, *lay_out(dense.boxes, dense.wires)), 0);
}

bool holds(const Area& area, const Drawing& d, const std::vector<Place>& places, size_t box) {
  const Place at = places[box];
  return at.x >= area.x && at.y >= area.y && at.x + d.boxes[box].width <= area.x + area.width &&
         at.y + d.boxes[box].height <= area.y + area.height;
}

bool meets(const Area& area, const Drawing& d, const std::vector<Place>& places, size_t box) {
  const Place at = places[box];
  return at.x < area.x + area.width && area.x < at.x + d.boxes[box].width && at.y < area.y + area.height &&
         area.y < at.y + d.boxes[box].height;
}

TEST(LayoutClusters, KeepTheirBoxesTogetherAndOthersOut) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    const Drawing d = random_drawing(seed, 60, 110, seed % 2 == 0 ? 60 : 6, seed % 3 == 0 ? 10 : 0);
    std::mt19937 random(seed);
    const std::vector<Cluster> clusters{{-1, 72, 24}, {0, 72, 24}, {-1, 72, 24}, {2, 72, 24}};
    std::vector<int> cluster_of;
    for (size_t i = 0; i < d.boxes.size(); ++i) cluster_of.push_back(static_cast<int>(random() % 5) - 1);
    const auto laid = lay_out_clusters(d.boxes, cluster_of, clusters, d.wires);
    ASSERT_TRUE(laid);
    EXPECT_EQ(overlaps(d, laid->boxes), 0) << seed;
    for (size_t box = 0; box < d.boxes.size(); ++box) {
      for (size_t c = 0; c < clusters.size(); ++c) {
        bool inside = false;
        for (int at = cluster_of[box]; at >= 0; at = clusters[static_cast<size_t>(at)].parent)
          inside = inside || at == static_cast<int>(c);
        if (inside)
          EXPECT_TRUE(holds(laid->clusters[c], d, laid->boxes, box)) << seed;
        else
          EXPECT_FALSE(meets(laid->clusters[c], d, laid->boxes, box)) << seed;
      }
    }
  }
}

TEST(LayoutClusters, WiresThroughThemAreStraight) {
  Drawing d = chain(5);
  const auto laid = *lay_out_clusters(d.boxes, {-1, 0, 0, 0, -1}, {{-1, 72, 24}}, d.wires);
  for (const Place& place : laid.boxes) EXPECT_EQ(place.y, laid.boxes[0].y);
  for (size_t i = 1; i < 5; ++i) EXPECT_GT(laid.boxes[i].x, laid.boxes[i - 1].x);
  EXPECT_EQ(laid.clusters[0].y, laid.boxes[1].y - 72);
  EXPECT_EQ(laid.clusters[0].x, laid.boxes[1].x - 24);
}

TEST(LayoutClusters, WithoutAnyAreAsBoxes) {
  const Drawing d = random_drawing(4, 80, 150, 9, 0);
  const auto laid = lay_out_clusters(d.boxes, std::vector<int>(d.boxes.size(), -1), {}, d.wires);
  EXPECT_EQ(laid->boxes, *lay_out(d.boxes, d.wires));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(lay_out_clusters(d.boxes, std::vector<int>(d.boxes.size(), -1), {}, d.wires, {}, stop.get_token()));
}

}  // namespace
}  // namespace hw::layout
