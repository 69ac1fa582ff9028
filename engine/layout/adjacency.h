// Adjacency: the neighbours of numbered things, all lists in one array.
#pragma once

#include <span>
#include <utility>
#include <vector>

namespace hw::layout {

class Adjacency {
 public:
  /// Neighbours come in the order of the edges {thing, neighbour}.
  Adjacency(size_t things, const std::vector<std::pair<int, int>>& edges) : begin_(things + 1), all_(edges.size()) {
    for (const auto& [thing, neighbour] : edges) ++begin_[static_cast<size_t>(thing) + 1];
    for (size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
    std::vector<size_t> next(begin_.begin(), begin_.end() - 1);
    for (const auto& [thing, neighbour] : edges) all_[next[static_cast<size_t>(thing)]++] = neighbour;
  }
  size_t size() const { return begin_.size() - 1; }
  std::span<const int> of(size_t thing) const {
    return {all_.data() + begin_[thing], begin_[thing + 1] - begin_[thing]};
  }
  std::span<const int> of(int thing) const { return of(static_cast<size_t>(thing)); }

 private:
  std::vector<size_t> begin_;
  std::vector<int> all_;
};

}  // namespace hw::layout
