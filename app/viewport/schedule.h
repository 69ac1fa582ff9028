// What to draw next: full or coarse, and when. Pure arithmetic, no device.
#pragma once

#include <array>

namespace hw::viewport {

/// Predicts how long a G-buffer takes to draw and shade from the ones before, and picks a reduction for the next.
class Schedule {
 public:
  /// The reduction while the camera moves: 1 is full resolution, 4 a quarter of the pixels each way.
  int moving_factor(double pixels, bool has_field) const { return factor(pixels, has_field, kMovingSeconds); }
  /// The reduction at rest when nothing fitting is on screen: full, unless that would keep the old picture too long.
  int first_factor(double pixels, bool has_field) const {
    return predict(pixels, has_field) <= kRestSeconds ? 1 : factor(pixels, has_field, kMovingSeconds);
  }
  void measured(double pixels, bool has_field, double seconds);

 private:
  static constexpr double kMovingSeconds = 0.045;  // about 20 pictures a second
  static constexpr double kRestSeconds = 0.12;
  static constexpr std::array<int, 7> kFactors{1, 2, 3, 4, 6, 8, 12};
  static constexpr int kUnknownFactor = 4;

  double predict(double pixels, bool has_field) const {
    const double cost = cost_[has_field];
    return cost < 0 ? 1.0 : cost * pixels;  // unknown: assume it is slow
  }
  int factor(double pixels, bool has_field, double budget) const {
    if (cost_[has_field] < 0) return kUnknownFactor;
    for (const int f : kFactors)
      if (predict(pixels, has_field) / (f * f) <= budget) return f;
    return kFactors.back();
  }

  std::array<double, 2> cost_{-1, -1};  // seconds a G-buffer pixel, without and with a field; negative: unknown
};

inline void Schedule::measured(double pixels, bool has_field, double seconds) {
  double& cost = cost_[has_field];
  const double now = seconds / pixels;
  cost = cost < 0 ? now : 0.5 * (cost + now);  // smooths, yet follows a change of network within a few pictures
}

}  // namespace hw::viewport
