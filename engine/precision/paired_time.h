// PairedTime: how much longer one of two takes that run in turns, and how well that is known.
#pragma once

#include <cstddef>
#include <vector>

namespace hw {

/// Noise of a shared machine falls on both alike; the first pair, which warms up, is left out.
class PairedTime {
 public:
  void add(double base_ms, double other_ms);
  size_t pairs() const { return ratios_.size(); }
  /// Medians; 0 without pairs.
  double base_ms() const;
  double other_ms() const;
  /// Median of other / base; 1 without pairs.
  double ratio() const;
  /// Half the width of about 95 % of what the true ratio may be, as a share of base: from the
  /// spread of the pairs. 1 of fewer than four.
  double noise() const;
  /// Enough pairs for a ratio and its noise.
  bool is_measured() const { return pairs() >= kFewest; }
  /// Beyond noise.
  bool is_faster() const { return ratio() < 1 - noise(); }
  bool is_slower() const { return ratio() > 1 + noise(); }

 private:
  static constexpr size_t kFewest = 4;
  bool warm_ = false;
  std::vector<double> base_, other_, ratios_;
};

}  // namespace hw
