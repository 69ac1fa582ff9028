#include "engine/layout/fold.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hw::layout {
namespace {

constexpr int kFewLayers = 24;     // that are looked along without folding
constexpr double kLong = 6;        // times as wide as high
constexpr double kForm = 1.8;      // of the folded drawing: width over height
constexpr int kMostReturning = 2;  // sockets whose wires lead from a row to the next: a chain, and what goes round it
constexpr double kMostAlong = 5;   // sockets whose wires pass a layer, as a mean: more is no chain
constexpr double kLeastRow = 0.75, kMostRow = 1.2;  // times the wished width, where a better place to cut is looked for

/// A layer: the columns and rows that its boxes take, and from how many sockets before it wires lead to it or past it.
struct Layer {
  int left = std::numeric_limits<int>::max(), right = 0;
  int top = std::numeric_limits<int>::max(), bottom = std::numeric_limits<int>::min();
  int crossing = 0;
};

std::vector<Layer> measure(const std::vector<Box>& boxes, const std::vector<Step>& steps, const std::vector<int>& layer,
                           const std::vector<Place>& places) {
  std::vector<Layer> layers(static_cast<size_t>(*std::max_element(layer.begin(), layer.end())) + 1);
  for (size_t box = 0; box < boxes.size(); ++box) {
    Layer& l = layers[static_cast<size_t>(layer[box])];
    l.left = std::min(l.left, places[box].x);
    l.right = std::max(l.right, places[box].x + boxes[box].width);
    l.top = std::min(l.top, places[box].y);
    l.bottom = std::max(l.bottom, places[box].y + boxes[box].height);
  }
  int right = 0;
  for (Layer& l : layers) {
    if (l.right == 0) l.left = l.right = right;  // wires alone
    right = l.right;
  }
  // The farthest reader of each socket; then sums over where they begin and end.
  std::vector<std::pair<std::pair<int, int>, int>> reach;
  for (const Step& step : steps) reach.push_back({{step.from, step.out_y}, layer[static_cast<size_t>(step.to)]});
  std::sort(reach.begin(), reach.end());
  std::vector<int> begins(layers.size() + 1);
  for (size_t i = 0; i < reach.size(); ++i) {
    if (i + 1 < reach.size() && reach[i + 1].first == reach[i].first) continue;
    ++begins[static_cast<size_t>(layer[static_cast<size_t>(reach[i].first.first)]) + 1];
    --begins[static_cast<size_t>(reach[i].second) + 1];
  }
  int open = 0;
  for (size_t i = 0; i < layers.size(); ++i) layers[i].crossing = open += begins[i];
  return layers;
}

/// First layers of the rows; nothing: there is no good place to cut.
std::vector<size_t> rows_of(const std::vector<Layer>& layers, int wished) {
  std::vector<size_t> rows{0};
  while (layers.back().right - layers[rows.back()].left > kMostRow * wished) {
    const int left = layers[rows.back()].left;
    size_t best = 0;
    for (size_t cut = rows.back() + 1; cut < layers.size(); ++cut) {
      const int width = layers[cut - 1].right - left;
      if (width < kLeastRow * wished) continue;
      if (width > kMostRow * wished && best != 0) break;
      const auto off = [&](size_t at) { return std::abs(layers[at - 1].right - left - wished); };
      const bool better = best == 0 || layers[cut].crossing < layers[best].crossing ||
                          (layers[cut].crossing == layers[best].crossing && off(cut) < off(best));
      if (better) best = cut;
    }
    if (best == 0) break;
    if (layers[best].crossing > kMostReturning) return {};
    rows.push_back(best);
  }
  return rows;
}

}  // namespace

void fold(const std::vector<Box>& boxes, const std::vector<Step>& steps, const std::vector<int>& layer,
          const Spacing& spacing, std::vector<Place>& places) {
  if (boxes.empty()) return;
  const std::vector<Layer> layers = measure(boxes, steps, layer, places);
  int top = std::numeric_limits<int>::max(), bottom = std::numeric_limits<int>::min();
  for (const Layer& l : layers) {
    top = std::min(top, l.top);
    bottom = std::max(bottom, l.bottom);
  }
  const int width = layers.back().right, height = bottom - top, gap = 3 * spacing.rows;
  if (static_cast<int>(layers.size()) <= kFewLayers || width < kLong * height) return;
  double crossing = 0;
  for (const Layer& l : layers) crossing += l.crossing;
  if (crossing > kMostAlong * static_cast<double>(layers.size())) return;
  const double count = std::max(1.0, std::sqrt(width / (kForm * (height + gap))));
  const std::vector<size_t> rows = rows_of(layers, static_cast<int>(width / std::round(count)));
  if (rows.size() < 2) return;

  std::vector<Place> by(layers.size());
  int y = 0;
  for (size_t row = 0; row < rows.size(); ++row) {
    const size_t end = row + 1 < rows.size() ? rows[row + 1] : layers.size();
    int row_top = std::numeric_limits<int>::max(), row_bottom = std::numeric_limits<int>::min();
    for (size_t l = rows[row]; l < end; ++l) {
      row_top = std::min(row_top, layers[l].top);
      row_bottom = std::max(row_bottom, layers[l].bottom);
    }
    for (size_t l = rows[row]; l < end; ++l) by[l] = {-layers[rows[row]].left, y - row_top};
    y += (row_bottom - row_top + gap + spacing.grid - 1) / spacing.grid * spacing.grid;
  }
  for (size_t box = 0; box < boxes.size(); ++box) {
    const Place& shift = by[static_cast<size_t>(layer[box])];
    places[box] = {places[box].x + shift.x, places[box].y + shift.y};
  }
}

}  // namespace hw::layout
