// Shared by the tests of the automatic layout: drawings made by hand or at random, and what is wrong with a result.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "engine/layout/layout.h"

namespace hw::layout {

inline constexpr int kFirstSocket = 52, kSocket = 24;

struct Drawing {
  std::vector<Box> boxes;
  std::vector<Wire> wires;

  int add(int rows = 1) {
    boxes.push_back({216, 48 + kSocket * rows});
    return static_cast<int>(boxes.size()) - 1;
  }
  void wire(int from, int to, int output = 0, int input = 0) {
    wires.push_back({from, to, kFirstSocket + kSocket * output, kFirstSocket + kSocket * input});
  }
};

/// Wires lead to higher numbers, but for `loops` in a hundred.
inline Drawing random_drawing(unsigned seed, int boxes, int wires, int reach, int loops) {
  std::mt19937 random(seed);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  Drawing d;
  for (int i = 0; i < boxes; ++i) d.add(1 + below(6));
  for (int i = 0; i < wires; ++i) {
    const int from = below(boxes), to = std::min(boxes - 1, from + 1 + below(reach));
    if (below(100) < loops)
      d.wire(to, from, below(2), below(3));
    else if (from != to)
      d.wire(from, to, below(2), below(3));
  }
  return d;
}

/// Pairs that overlap, by a sweep over the columns.
inline int overlaps(const Drawing& d, const std::vector<Place>& places) {
  std::vector<size_t> order(places.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return places[a].x < places[b].x; });
  int count = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    const Place a = places[order[i]];
    const Box& box = d.boxes[order[i]];
    for (size_t k = i + 1; k < order.size() && places[order[k]].x < a.x + box.width; ++k) {
      const Place b = places[order[k]];
      count += a.y < b.y + d.boxes[order[k]].height && b.y < a.y + box.height;
    }
  }
  return count;
}

}  // namespace hw::layout
