#include "engine/layout/layering.h"

#include <algorithm>
#include <limits>

#include "engine/layout/adjacency.h"

namespace hw::layout {
namespace {

constexpr int kTightenings = 8;  // rounds; most graphs are at rest after two

/// Boxes so that each comes after those before it.
std::vector<int> in_order(const Adjacency& into, const Adjacency& out) {
  std::vector<int> order, waiting(into.size());
  order.reserve(into.size());
  for (size_t box = 0; box < into.size(); ++box) {
    waiting[box] = static_cast<int>(into.of(box).size());
    if (waiting[box] == 0) order.push_back(static_cast<int>(box));
  }
  for (size_t i = 0; i < order.size(); ++i) {
    for (const int next : out.of(order[i]))
      if (--waiting[static_cast<size_t>(next)] == 0) order.push_back(next);
  }
  return order;
}

}  // namespace

std::vector<Step> without_cycles(size_t boxes, const std::vector<Wire>& wires) {
  std::vector<std::pair<int, int>> edges;
  for (const Wire& wire : wires) edges.push_back({wire.from, wire.to});
  const Adjacency out(boxes, edges);
  std::vector<bool> has_input(boxes);
  for (const Wire& wire : wires)
    if (wire.from != wire.to) has_input[static_cast<size_t>(wire.to)] = true;

  // A wire to a box that is still open in the depth-first search closes a cycle. `closed`: the order in which boxes
  // are left; all other wires lead to boxes that were left before.
  enum State : uint8_t { unseen, open, left };
  std::vector<State> state(boxes, unseen);
  std::vector<int> closed(boxes);
  int count = 0;
  std::vector<std::pair<int, size_t>> path;  // box, next wire to follow
  const auto search = [&](size_t root) {
    if (state[root] != unseen) return;
    state[root] = open;
    path.push_back({static_cast<int>(root), 0});
    while (!path.empty()) {
      auto& [box, next] = path.back();
      const auto readers = out.of(box);
      if (next == readers.size()) {
        state[static_cast<size_t>(box)] = left;
        closed[static_cast<size_t>(box)] = count++;
        path.pop_back();
        continue;
      }
      const int reader = readers[next++];
      if (state[static_cast<size_t>(reader)] != unseen) continue;
      state[static_cast<size_t>(reader)] = open;
      path.push_back({reader, 0});
    }
  };
  for (size_t box = 0; box < boxes; ++box)
    if (!has_input[box]) search(box);
  for (size_t box = 0; box < boxes; ++box) search(box);

  std::vector<Step> steps;
  steps.reserve(wires.size());
  for (const Wire& wire : wires) {
    if (wire.from == wire.to) continue;
    const bool back = closed[static_cast<size_t>(wire.from)] < closed[static_cast<size_t>(wire.to)];
    steps.push_back(back ? Step{wire.to, wire.from, wire.in_y, wire.out_y}
                         : Step{wire.from, wire.to, wire.out_y, wire.in_y});
  }
  return steps;
}

std::vector<int> layers_of(const std::vector<Box>& boxes, const std::vector<Step>& steps) {
  std::vector<std::pair<int, int>> forth, back;
  for (const Step& step : steps) {
    forth.push_back({step.from, step.to});
    back.push_back({step.to, step.from});
  }
  const Adjacency out(boxes.size(), forth), into(boxes.size(), back);
  const std::vector<int> order = in_order(into, out);
  std::vector<int> layer(boxes.size());
  int last = 0;
  for (const int box : order) {
    for (const int reader : out.of(box)) {
      int& after = layer[static_cast<size_t>(reader)];
      after = std::max(after, layer[static_cast<size_t>(box)] + 1);
      last = std::max(last, after);
    }
  }
  std::vector<bool> fixed(boxes.size());
  for (size_t box = 0; box < boxes.size(); ++box) {
    const bool at_end = boxes[box].side == Side::last && out.of(box).empty();
    if (at_end) layer[box] = last;
    fixed[box] = at_end || (boxes[box].side == Side::first && into.of(box).empty());
  }

  // A chain that begins at a source and is read once stands before its reader, as a source does.
  std::vector<bool> loose(boxes.size());
  for (const int at : order) {
    const auto box = static_cast<size_t>(at);
    const auto before = into.of(box);
    loose[box] = before.empty() || (before.size() == 1 && out.of(box).size() == 1 &&
                                    loose[static_cast<size_t>(before[0])] && out.of(before[0]).size() == 1);
  }

  bool moved = true;
  for (int round = 0; round < kTightenings && moved; ++round) {
    moved = false;
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
      const auto box = static_cast<size_t>(*at);
      if (fixed[box]) continue;
      int least = 0, most = std::numeric_limits<int>::max();
      for (const int before : into.of(box)) least = std::max(least, layer[static_cast<size_t>(before)] + 1);
      for (const int after : out.of(box)) most = std::min(most, layer[static_cast<size_t>(after)] - 1);
      const size_t in = into.of(box).size(), outs = out.of(box).size();
      if (outs == 0) most = layer[box];
      const int wish = loose[box] || outs > in ? most : in > outs ? least : layer[box];
      if (wish == layer[box]) continue;
      layer[box] = wish;
      moved = true;
    }
  }
  const auto lowest = std::min_element(layer.begin(), layer.end());
  if (lowest != layer.end()) {
    const int base = *lowest;
    for (int& l : layer) l -= base;
  }
  return layer;
}

}  // namespace hw::layout
