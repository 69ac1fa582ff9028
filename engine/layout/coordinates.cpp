// First every layer by itself: as near as possible, in squares, to where its wires would be straight, again and again.
// Then what can be exactly straight becomes one rigid block, and blocks are set as near as possible to where they were.
#include "engine/layout/coordinates.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace hw::layout {
namespace {

constexpr int kSweeps = 8;

class Coordinates {
 public:
  Coordinates(const LayeredGraph& graph, const Spacing& spacing, const std::stop_token& stop)
      : graph_(graph),
        spacing_(spacing),
        stop_(stop),
        top_(graph.items.size()),
        place_(graph.items.size()),
        block_(graph.items.size()),
        offset_(graph.items.size()) {
    for (const std::vector<int>& layer : graph.layers)
      for (size_t n = 0; n < layer.size(); ++n) place_[static_cast<size_t>(layer[n])] = static_cast<int>(n);
  }

  std::optional<std::vector<int>> run() {
    stack();
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      if (!pass(true, false) || !pass(false, false)) return std::nullopt;
    }
    if (!pass(true, true) || !pass(false, true)) return std::nullopt;
    make_blocks();
    if (!place_blocks()) return std::nullopt;
    std::vector<int> tops(top_.size());
    for (size_t i = 0; i < tops.size(); ++i) tops[i] = static_cast<int>(std::lround(top_[i]));
    return tops;
  }

 private:
  const Item& item(int i) const { return graph_.items[static_cast<size_t>(i)]; }
  const Piece& piece(int i) const { return graph_.pieces[static_cast<size_t>(i)]; }
  double& top(int i) { return top_[static_cast<size_t>(i)]; }

  int on_grid(double y) const { return static_cast<int>(std::lround(y / spacing_.grid)) * spacing_.grid; }

  /// Least distance from the top of an item to that of the next one below.
  int apart(int above, int below) const {
    const bool lane = item(above).box < 0 || item(below).box < 0;
    const int gap = lane ? spacing_.lane : spacing_.rows;
    return (item(above).height + gap + spacing_.grid - 1) / spacing_.grid * spacing_.grid;
  }

  int lanes(const Piece& p) const { return (item(p.left).box < 0) + (item(p.right).box < 0); }
  double weight(const Piece& p) const { return lanes(p) == 2 ? 8 : lanes(p) == 1 ? 2 : 1; }

  /// Every layer from its middle.
  void stack() {
    for (const std::vector<int>& layer : graph_.layers) {
      double y = 0;
      for (size_t i = 0; i < layer.size(); ++i) {
        if (i > 0) y += apart(layer[i - 1], layer[i]);
        top(layer[i]) = y;
      }
      for (const int i : layer) top(i) -= y / 2;
    }
  }

  /// Layer by layer to the right or to the left, towards the neighbours one comes from, or `both`.
  bool pass(bool right, bool both) {
    const int count = static_cast<int>(graph_.layers.size());
    for (int step = 0; step < count; ++step) {
      if (stop_.stop_requested()) return false;
      settle(graph_.layers[static_cast<size_t>(right ? step : count - 1 - step)], right || both, !right || both);
    }
    return true;
  }

  /// Least squares under order and distance: pooling of adjacent violators, on tops less what must lie above.
  void settle(const std::vector<int>& layer, bool to_left, bool to_right) {
    struct Pool {
      double sum, weight;
      size_t count;
      double mean() const { return sum / weight; }
    };
    std::vector<Pool> pools;
    double above = 0;
    for (size_t n = 0; n < layer.size(); ++n) {
      const int i = layer[n];
      if (n > 0) above += apart(layer[n - 1], i);
      double sum = 0, weights = 0;
      const auto pull = [&](const Piece& p, double wish) {
        sum += weight(p) * wish;
        weights += weight(p);
      };
      if (to_left)
        for (const int p : graph_.into.of(i)) pull(piece(p), top(piece(p).left) + piece(p).left_y - piece(p).right_y);
      if (to_right)
        for (const int p : graph_.out.of(i)) pull(piece(p), top(piece(p).right) + piece(p).right_y - piece(p).left_y);
      constexpr double kRest = 0.1;  // of an item without neighbours, to stay
      const double wish = weights > 0 ? sum / weights : top(i);
      const double own = weights > 0 ? weights : kRest;
      pools.push_back({(wish - above) * own, own, 1});
      while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
        const Pool last = pools.back();
        pools.pop_back();
        pools.back().sum += last.sum;
        pools.back().weight += last.weight;
        pools.back().count += last.count;
      }
    }
    size_t n = 0;
    above = 0;
    for (const Pool& pool : pools) {
      for (size_t k = 0; k < pool.count; ++k, ++n) {
        if (n > 0) above += apart(layer[n - 1], layer[n]);
        top(layer[n]) = pool.mean() + above;
      }
    }
  }

  /// Chains of items with one wire through them, at most one to each side, none of which crosses another. A wire that
  /// passes layers goes before others: it is drawn from socket to socket, and lies free only where that is its lane.
  void make_blocks() {
    std::vector<int> next(graph_.items.size(), -1), joined(graph_.items.size(), -1);  // pieces to the right, left
    std::vector<int> pieces;
    for (const std::vector<int>& layer : graph_.layers) {
      pieces.clear();
      for (const int i : layer)
        for (const int p : graph_.out.of(i)) pieces.push_back(p);
      std::stable_sort(pieces.begin(), pieces.end(), [&](int a, int b) {
        return std::pair(-lanes(piece(a)), bend(piece(a))) < std::pair(-lanes(piece(b)), bend(piece(b)));
      });
      std::map<int, int> taken;  // places, left to right
      for (const int p : pieces) {
        const auto left = static_cast<size_t>(piece(p).left), right = static_cast<size_t>(piece(p).right);
        if (next[left] >= 0 || joined[right] >= 0 || bend(piece(p)) > kMostBend) continue;
        const auto below = taken.upper_bound(place(piece(p).left));
        if (below != taken.end() && below->second < place(piece(p).right)) continue;
        if (below != taken.begin() && std::prev(below)->second > place(piece(p).right)) continue;
        taken[place(piece(p).left)] = place(piece(p).right);
        next[left] = joined[right] = p;
      }
    }
    for (const std::vector<int>& layer : graph_.layers) {
      for (const int i : layer) {
        const auto at = static_cast<size_t>(i);
        const int p = joined[at];
        if (p < 0) {
          block_[at] = static_cast<int>(blocks_.size());
          blocks_.push_back({});
        } else {
          const auto left = static_cast<size_t>(piece(p).left);
          block_[at] = block_[left];
          offset_[at] = offset_[left] + on_grid(piece(p).left_y - piece(p).right_y);
        }
        blocks_[static_cast<size_t>(block_[at])].push_back(i);
      }
    }
  }

  double bend(const Piece& p) { return std::abs(top(p.left) + p.left_y - top(p.right) - p.right_y); }

  /// Once down and once up, each as far from its wish as the others force it; the mean of both keeps the distances,
  /// too.
  bool place_blocks() {
    std::vector<int> waiting(blocks_.size());  // for how many items above
    for (const std::vector<int>& layer : graph_.layers)
      for (size_t n = 1; n < layer.size(); ++n) ++waiting[static_cast<size_t>(block_of(layer[n]))];
    std::vector<double> wish(blocks_.size());
    for (size_t b = 0; b < blocks_.size(); ++b) {
      for (const int i : blocks_[b]) wish[b] += top(i) - offset_[static_cast<size_t>(i)];
      wish[b] = on_grid(wish[b] / static_cast<double>(blocks_[b].size()));
    }
    std::vector<int> order;
    for (size_t b = 0; b < blocks_.size(); ++b)
      if (waiting[b] == 0) order.push_back(static_cast<int>(b));
    for (size_t k = 0; k < order.size(); ++k) {
      for (const int i : blocks_[static_cast<size_t>(order[k])]) {
        const int under = neighbour(i, 1);
        if (under >= 0 && --waiting[static_cast<size_t>(block_of(under))] == 0) order.push_back(block_of(under));
      }
    }
    if (stop_.stop_requested()) return false;
    std::vector<double> down(blocks_.size()), up(blocks_.size());
    for (const int b : order) {
      double y = wish[static_cast<size_t>(b)];
      for (const int i : blocks_[static_cast<size_t>(b)]) {
        const int over = neighbour(i, -1);
        if (over < 0) continue;
        const double least = down[static_cast<size_t>(block_of(over))] + offset_[static_cast<size_t>(over)] +
                             apart(over, i) - offset_[static_cast<size_t>(i)];
        y = std::max(y, least);
      }
      down[static_cast<size_t>(b)] = y;
    }
    for (auto b = order.rbegin(); b != order.rend(); ++b) {
      double y = wish[static_cast<size_t>(*b)];
      for (const int i : blocks_[static_cast<size_t>(*b)]) {
        const int under = neighbour(i, 1);
        if (under < 0) continue;
        const double most = up[static_cast<size_t>(block_of(under))] + offset_[static_cast<size_t>(under)] -
                            apart(i, under) - offset_[static_cast<size_t>(i)];
        y = std::min(y, most);
      }
      up[static_cast<size_t>(*b)] = y;
    }
    for (size_t b = 0; b < blocks_.size(); ++b) {
      const double y = std::floor((down[b] + up[b]) / 2 / spacing_.grid) * spacing_.grid;
      for (const int i : blocks_[b]) top(i) = y + offset_[static_cast<size_t>(i)];
    }
    return true;
  }

  int place(int i) const { return place_[static_cast<size_t>(i)]; }
  /// The item above (−1) or below (1) in its layer, or −1.
  int neighbour(int i, int by) const {
    const std::vector<int>& layer = graph_.layers[static_cast<size_t>(item(i).layer)];
    const int n = place(i) + by;
    return n < 0 || n >= static_cast<int>(layer.size()) ? -1 : layer[static_cast<size_t>(n)];
  }
  int block_of(int i) const { return block_[static_cast<size_t>(i)]; }

  static constexpr double kMostBend = 160;  // canvas units: what is farther from straight is not forced to be
  const LayeredGraph& graph_;
  const Spacing& spacing_;
  const std::stop_token& stop_;
  std::vector<double> top_;
  std::vector<int> place_;           // of an item in its layer
  std::vector<int> block_, offset_;  // of an item: its block, how far below the block's top
  std::vector<std::vector<int>> blocks_;
};

}  // namespace

std::optional<std::vector<int>> tops_of(const LayeredGraph& graph, const Spacing& spacing,
                                        const std::stop_token& stop) {
  return Coordinates(graph, spacing, stop).run();
}

}  // namespace hw::layout
