#include "engine/layout/layered_graph.h"

#include <algorithm>
#include <tuple>

namespace hw::layout {
namespace {

constexpr int64_t kMostLanes = 200'000, kLanesABox = 40;

/// Wires from one socket.
struct Bundle {
  size_t begin = 0, end = 0;  // of the sorted steps
  int length = 0;             // layers to the farthest end
};

}  // namespace

LayeredGraph layered(const std::vector<Box>& boxes, const std::vector<Step>& steps, const std::vector<int>& layer,
                     const Spacing& spacing) {
  std::vector<Item> items;
  std::vector<Piece> pieces;
  int last = 0;
  for (size_t box = 0; box < boxes.size(); ++box) {
    items.push_back({static_cast<int>(box), layer[box], boxes[box].height, boxes[box].side});
    last = std::max(last, layer[box]);
  }
  const auto layer_at = [&](int box) { return layer[static_cast<size_t>(box)]; };

  std::vector<Step> sorted = steps;
  std::stable_sort(sorted.begin(), sorted.end(), [&](const Step& a, const Step& b) {
    return std::tuple(a.from, a.out_y, layer_at(a.to)) < std::tuple(b.from, b.out_y, layer_at(b.to));
  });
  std::vector<Bundle> bundles;
  for (size_t i = 0; i < sorted.size(); ++i) {
    const Step& step = sorted[i];
    const bool same = i > 0 && sorted[i - 1].from == step.from && sorted[i - 1].out_y == step.out_y;
    if (!same) bundles.push_back({i, i, 0});
    bundles.back().end = i + 1;
    bundles.back().length = layer_at(step.to) - layer_at(step.from);
  }
  std::stable_sort(bundles.begin(), bundles.end(),
                   [](const Bundle& a, const Bundle& b) { return a.length < b.length; });

  const int64_t most = std::min(kMostLanes, kLanesABox * static_cast<int64_t>(boxes.size()));
  int64_t lanes = 0;
  for (const Bundle& bundle : bundles) {
    const bool has_lanes = lanes + bundle.length <= most;
    const Step& first = sorted[bundle.begin];
    int at = first.from, at_y = first.out_y, at_layer = layer_at(first.from);
    for (size_t i = bundle.begin; i < bundle.end; ++i) {
      const Step& step = sorted[i];
      if (!has_lanes && layer_at(step.to) > at_layer + 1) break;
      for (; at_layer + 1 < layer_at(step.to); ++at_layer, ++lanes) {
        const int lane = static_cast<int>(items.size());
        items.push_back({-1, at_layer + 1, spacing.lane, Side::any});
        pieces.push_back({at, lane, at_y, spacing.lane / 2});
        at = lane;
        at_y = spacing.lane / 2;
      }
      pieces.push_back({at, step.to, at_y, step.in_y});
    }
  }

  std::vector<std::pair<int, int>> by_right, by_left;
  for (size_t i = 0; i < pieces.size(); ++i) {
    by_right.push_back({pieces[i].right, static_cast<int>(i)});
    by_left.push_back({pieces[i].left, static_cast<int>(i)});
  }
  std::vector<std::vector<int>> layers(static_cast<size_t>(last) + 1);
  for (size_t i = 0; i < items.size(); ++i) layers[static_cast<size_t>(items[i].layer)].push_back(static_cast<int>(i));
  Adjacency into(items.size(), by_right), out(items.size(), by_left);
  return {std::move(items), std::move(pieces), std::move(layers), std::move(into), std::move(out)};
}

}  // namespace hw::layout
