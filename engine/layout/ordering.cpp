#include "engine/layout/ordering.h"

#include <algorithm>

namespace hw::layout {
namespace {

constexpr int kMostSweeps = 16, kSweepsInVain = 4, kExchanges = 4;
// Large graphs have one beginning instead of two, and less work on each.
constexpr size_t kFewItems = 60'000;
constexpr int kFewSweeps = 6, kFewExchanges = 1;

class Ordering {
 public:
  Ordering(LayeredGraph& graph, const std::stop_token& stop)
      : graph_(graph), stop_(stop), place_(graph.items.size()), wish_(graph.items.size()) {}

  bool run() {
    best_ = graph_.layers;
    for (const bool from_ends : {true, false}) {
      if (!from_ends && !few_) break;
      begin(from_ends);
      int in_vain = 0;
      for (int sweep = 0; sweep < (few_ ? kMostSweeps : kFewSweeps) && in_vain < kSweepsInVain && least_ != 0;
           ++sweep) {
        for (const bool right : {true, false}) {
          if (!pass(right)) return false;
        }
        exchange();
        if (stop_.stop_requested()) return false;
        in_vain = keep_best() ? 0 : in_vain + 1;
      }
    }
    graph_.layers = best_;
    return true;
  }

 private:
  Item& item(int i) { return graph_.items[static_cast<size_t>(i)]; }
  int& place(int i) { return place_[static_cast<size_t>(i)]; }
  const Piece& piece(int i) const { return graph_.pieces[static_cast<size_t>(i)]; }

  /// Items in the order of a depth-first search, from the ends of wires back or from their beginnings on: trees come
  /// out without a crossing.
  void begin(bool from_ends) {
    for (std::vector<int>& layer : graph_.layers) layer.clear();
    const Adjacency& near = from_ends ? graph_.into : graph_.out;
    const Adjacency& behind = from_ends ? graph_.out : graph_.into;
    std::vector<bool> seen(graph_.items.size());
    std::vector<std::pair<int, std::vector<int>>> path;  // item, neighbours to go to, the next one last
    const auto enter = [&](int i) {
      seen[static_cast<size_t>(i)] = true;
      graph_.layers[static_cast<size_t>(item(i).layer)].push_back(i);
      std::vector<std::pair<int, int>> sorted;
      for (const int p : near.of(i))
        sorted.push_back(from_ends ? std::pair(piece(p).right_y, piece(p).left)
                                   : std::pair(piece(p).left_y, piece(p).right));
      std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
      std::vector<int> next;
      for (const auto& [y, neighbour] : sorted) next.push_back(neighbour);
      path.push_back({i, std::move(next)});
    };
    const auto search = [&](size_t root) {
      if (seen[root]) return;
      enter(static_cast<int>(root));
      while (!path.empty()) {
        std::vector<int>& next = path.back().second;
        if (next.empty()) {
          path.pop_back();
          continue;
        }
        const int neighbour = next.back();
        next.pop_back();
        if (!seen[static_cast<size_t>(neighbour)]) enter(neighbour);
      }
    };
    for (size_t i = 0; i < graph_.items.size(); ++i)
      if (behind.of(i).empty()) search(i);
    for (size_t i = 0; i < graph_.items.size(); ++i) search(i);
    for (std::vector<int>& layer : graph_.layers) settle(layer);
    keep_best();
    exchange();
    keep_best();
  }

  /// Items of one side take their places in their own order; places follow.
  void settle(std::vector<int>& layer) {
    for (const Side side : {Side::first, Side::last}) {
      std::vector<size_t> at;
      std::vector<int> of_side;
      for (size_t i = 0; i < layer.size(); ++i) {
        if (item(layer[i]).side != side) continue;
        at.push_back(i);
        of_side.push_back(layer[i]);
      }
      std::sort(of_side.begin(), of_side.end());
      for (size_t i = 0; i < at.size(); ++i) layer[at[i]] = of_side[i];
    }
    for (size_t i = 0; i < layer.size(); ++i) place(layer[i]) = static_cast<int>(i);
  }

  /// Where a piece ends in the neighbouring layer, sockets in their order within a place.
  double left_end(const Piece& p) { return place(p.left) + socket(p.left_y, item(p.left).height); }
  double right_end(const Piece& p) { return place(p.right) + socket(p.right_y, item(p.right).height); }
  static double socket(int y, int height) { return (y + 1.0) / (height + 2.0); }

  /// Every layer by the mean of its neighbours in the one before (`right`) or behind; those without stay where they
  /// are.
  bool pass(bool right) {
    const int count = static_cast<int>(graph_.layers.size());
    for (int step = 1; step < count; ++step) {
      if (stop_.stop_requested()) return false;
      std::vector<int>& layer = graph_.layers[static_cast<size_t>(right ? step : count - 1 - step)];
      std::vector<int> free;
      for (const int i : layer) {
        const auto pieces = right ? graph_.into.of(i) : graph_.out.of(i);
        double sum = 0;
        for (const int p : pieces) sum += right ? left_end(piece(p)) : right_end(piece(p));
        wish_[static_cast<size_t>(i)] = pieces.empty() ? -1 : sum / static_cast<double>(pieces.size());
        if (!pieces.empty()) free.push_back(i);
      }
      std::stable_sort(free.begin(), free.end(),
                       [&](int a, int b) { return wish_[static_cast<size_t>(a)] < wish_[static_cast<size_t>(b)]; });
      auto next = free.begin();
      for (int& i : layer)
        if (wish_[static_cast<size_t>(i)] >= 0) i = *next++;
      settle(layer);
    }
    return true;
  }

  /// The other ends of an item's pieces on one side, in order.
  std::vector<double> ends(int i, bool right) {
    std::vector<double> at;
    for (const int p : right ? graph_.out.of(i) : graph_.into.of(i))
      at.push_back(right ? right_end(piece(p)) : left_end(piece(p)));
    std::sort(at.begin(), at.end());
    return at;
  }

  /// Crossings between the pieces of an item and those of one below it.
  static int64_t crossed(const std::vector<double>& above, const std::vector<double>& below) {
    int64_t count = 0;
    size_t lower = 0;
    for (const double end : above) {
      while (lower < below.size() && below[lower] < end) ++lower;
      count += static_cast<int64_t>(lower);
    }
    return count;
  }

  void exchange() {
    for (int round = 0; round < (few_ ? kExchanges : kFewExchanges); ++round) {
      bool changed = false;
      for (std::vector<int>& layer : graph_.layers) {
        if (stop_.stop_requested()) return;
        if (layer.size() < 2) continue;
        std::vector<double> left_a = ends(layer[0], false), right_a = ends(layer[0], true);
        for (size_t i = 0; i + 1 < layer.size(); ++i) {
          const int a = layer[i], b = layer[i + 1];
          std::vector<double> left_b = ends(b, false), right_b = ends(b, true);
          const bool bound = item(a).side != Side::any && item(a).side == item(b).side;
          const int64_t now = crossed(left_a, left_b) + crossed(right_a, right_b);
          const int64_t then = crossed(left_b, left_a) + crossed(right_b, right_a);
          if (bound || then >= now) {
            left_a = std::move(left_b);
            right_a = std::move(right_b);
            continue;
          }
          std::swap(layer[i], layer[i + 1]);
          std::swap(place(a), place(b));
          changed = true;
        }
      }
      if (!changed) return;
    }
  }

  int64_t count_all() {
    int64_t total = 0;
    std::vector<std::pair<double, double>> ends;
    std::vector<int> counts;
    for (const std::vector<int>& layer : graph_.layers) {
      ends.clear();
      for (const int i : layer)
        for (const int p : graph_.out.of(i)) ends.push_back({left_end(piece(p)), right_end(piece(p))});
      std::sort(ends.begin(), ends.end());
      // Inversions of the right ends, by a Fenwick tree over their ranks.
      std::vector<double> ranks;
      for (const auto& [left, right] : ends) ranks.push_back(right);
      std::sort(ranks.begin(), ranks.end());
      ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
      counts.assign(ranks.size() + 1, 0);
      int64_t inserted = 0;
      for (size_t e = 0; e < ends.size();) {
        // Pieces of one socket do not cross: they are counted before any of them is put in.
        size_t same = e;
        for (; same < ends.size() && ends[same].first == ends[e].first; ++same) {
          const auto rank = std::upper_bound(ranks.begin(), ranks.end(), ends[same].second) - ranks.begin();
          int64_t not_below = 0;
          for (auto at = static_cast<size_t>(rank); at > 0; at &= at - 1) not_below += counts[at];
          total += inserted - not_below;
        }
        for (; e < same; ++e, ++inserted) {
          auto at =
              static_cast<size_t>(std::lower_bound(ranks.begin(), ranks.end(), ends[e].second) - ranks.begin()) + 1;
          for (; at < counts.size(); at += at & (~at + 1)) ++counts[at];
        }
      }
    }
    return total;
  }

  bool keep_best() {
    const int64_t now = count_all();
    if (least_ >= 0 && now >= least_) return false;
    least_ = now;
    best_ = graph_.layers;
    return true;
  }

  LayeredGraph& graph_;
  const std::stop_token& stop_;
  const bool few_ = graph_.items.size() <= kFewItems;
  std::vector<int> place_;    // of an item in its layer
  std::vector<double> wish_;  // −1: none
  std::vector<std::vector<int>> best_;
  int64_t least_ = -1;
};

}  // namespace

bool order_layers(LayeredGraph& graph, const std::stop_token& stop) {
  return Ordering(graph, stop).run();
}

}  // namespace hw::layout
