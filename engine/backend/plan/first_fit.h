// Places in a line of memory: the first that is large enough.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <unordered_map>

#include "engine/backend/plan/padded.h"

namespace hw::plan {

/// The line grows at its end. Takes time by the number of gaps.
class FirstFit {
 public:
  /// The offset of so many bytes, padded.
  size_t take(size_t bytes) {
    bytes = std::max<size_t>(padded(bytes), 64);
    size_t at = end_;
    const auto gap = std::ranges::find_if(gaps_, [bytes](const auto& g) { return g.second >= bytes; });
    if (gap == gaps_.end()) {
      end_ += bytes;
      peak_ = std::max(peak_, end_);
    } else {
      at = gap->first;
      const size_t left = gap->second - bytes;
      gaps_.erase(gap);
      if (left > 0) gaps_[at + bytes] = left;
    }
    used_[at] = bytes;
    return at;
  }

  /// Gives back what take() gave.
  void release(size_t begin) {
    const auto used = used_.find(begin);
    if (used == used_.end()) return;
    size_t end = begin + used->second;
    used_.erase(used);
    auto after = gaps_.lower_bound(begin);
    if (after != gaps_.begin()) {
      const auto before = std::prev(after);
      if (before->first + before->second == begin) {
        begin = before->first;
        gaps_.erase(before);
      }
    }
    if (after != gaps_.end() && after->first == end) {
      end += after->second;
      gaps_.erase(after);
    }
    if (end == end_)
      end_ = begin;
    else
      gaps_[begin] = end - begin;
  }

  size_t peak() const { return peak_; }

 private:
  std::map<size_t, size_t> gaps_;            // by offset: bytes; none touches another one or the end
  std::unordered_map<size_t, size_t> used_;  // likewise
  size_t end_ = 0, peak_ = 0;
};

}  // namespace hw::plan
