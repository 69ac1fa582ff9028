#include "engine/layout/align.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/layout/adjacency.h"

namespace hw::layout {
namespace {

/// The two outermost edges along an axis.
std::pair<int, int> extent(const std::vector<Box>& boxes, const std::vector<Place>& places, bool along_x) {
  int low = std::numeric_limits<int>::max(), high = std::numeric_limits<int>::min();
  for (size_t i = 0; i < boxes.size(); ++i) {
    const int begin = along_x ? places[i].x : places[i].y;
    low = std::min(low, begin);
    high = std::max(high, begin + (along_x ? boxes[i].width : boxes[i].height));
  }
  return {low, high};
}

/// Whether they come closer than `gap` side by side and touch the same heights.
bool collide(const Box& a, Place at, const Box& b, Place b_at, int gap) {
  return at.x < b_at.x + b.width + gap && b_at.x < at.x + a.width + gap && at.y < b_at.y + b.height &&
         b_at.y < at.y + a.height;
}

}  // namespace

std::vector<Place> aligned(const std::vector<Box>& boxes, std::vector<Place> places, Line line) {
  if (boxes.empty()) return places;
  const auto [left, right] = extent(boxes, places, true);
  const auto [top, bottom] = extent(boxes, places, false);
  for (size_t i = 0; i < boxes.size(); ++i) {
    Place& at = places[i];
    switch (line) {
      case Line::left:
        at.x = left;
        break;
      case Line::right:
        at.x = right - boxes[i].width;
        break;
      case Line::top:
        at.y = top;
        break;
      case Line::bottom:
        at.y = bottom - boxes[i].height;
        break;
      case Line::middle_x:
        at.x = left + (right - left - boxes[i].width) / 2;
        break;
      case Line::middle_y:
        at.y = top + (bottom - top - boxes[i].height) / 2;
        break;
    }
  }
  return places;
}

std::vector<Place> distributed(const std::vector<Box>& boxes, std::vector<Place> places, bool along_x, int least) {
  if (boxes.size() < 3) return places;
  const auto begin = [&](size_t i) -> int& { return along_x ? places[i].x : places[i].y; };
  const auto length = [&](size_t i) { return along_x ? boxes[i].width : boxes[i].height; };
  std::vector<size_t> order(boxes.size());
  int filled = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
    filled += length(i);
  }
  // By their middles, so that what lies in another keeps its place in the row.
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return 2 * begin(a) + length(a) < 2 * begin(b) + length(b); });
  const auto [low, high] = extent(boxes, places, along_x);
  const double gap = std::max(static_cast<double>(high - low - filled) / static_cast<double>(boxes.size() - 1),
                              static_cast<double>(least));
  double at = low;
  for (const size_t i : order) {
    begin(i) = static_cast<int>(std::lround(at));
    at += length(i) + gap;
  }
  return places;
}

std::vector<Place> with_room(const std::vector<Box>& boxes, const std::vector<Wire>& wires, std::vector<Place> places,
                             int placed, int gap, int grid) {
  const auto own = static_cast<size_t>(placed);
  std::vector<std::pair<int, int>> edges;
  for (const Wire& wire : wires) edges.push_back({wire.from, wire.to});
  const Adjacency out(boxes.size(), edges);

  int left = places[own].x;
  for (const Wire& wire : wires) {
    const auto from = static_cast<size_t>(wire.from);
    if (wire.to != placed || wire.from == placed) continue;
    if (collide(boxes[own], places[own], boxes[from], places[from], gap))
      left = std::max(left, places[from].x + boxes[from].width + gap);
  }
  places[own].x += up_to_grid(left - places[own].x, grid);

  std::vector<bool> behind(boxes.size());
  std::vector<size_t> moved{own};
  behind[own] = true;
  for (size_t k = 0; k < moved.size(); ++k) {
    for (const int next : out.of(moved[k])) {
      const auto i = static_cast<size_t>(next);
      if (behind[i]) continue;
      behind[i] = true;
      moved.push_back(i);
    }
  }
  int shift = 0;
  for (const size_t i : moved) {
    if (i == own || places[i].x + boxes[i].width <= places[own].x) continue;
    if (collide(boxes[own], places[own], boxes[i], places[i], gap))
      shift = std::max(shift, places[own].x + boxes[own].width + gap - places[i].x);
  }
  shift = up_to_grid(shift, grid);
  if (shift == 0) return places;

  const std::vector<Place> before = places;
  std::erase_if(moved, [&](size_t i) { return i == own || before[i].x + boxes[i].width <= before[own].x; });
  std::vector<bool> shifted(boxes.size());
  shifted[own] = true;  // it stays
  for (const size_t i : moved) shifted[i] = true;
  std::vector<size_t> resting;
  for (size_t i = 0; i < boxes.size(); ++i)
    if (!shifted[i]) resting.push_back(i);
  for (size_t k = 0; k < moved.size(); ++k) {
    const size_t i = moved[k];
    places[i].x += shift;
    // What lay nearer than the gap before may do so, but is not covered.
    const auto pushed = [&](size_t other) {
      const auto newly = [&](int distance) {
        return collide(boxes[i], places[i], boxes[other], before[other], distance) &&
               !collide(boxes[i], before[i], boxes[other], before[other], distance);
      };
      return newly(gap) || newly(0);
    };
    const auto stay = std::stable_partition(resting.begin(), resting.end(), [&](size_t o) { return !pushed(o); });
    moved.insert(moved.end(), stay, resting.end());
    resting.erase(stay, resting.end());
  }
  return places;
}

}  // namespace hw::layout
