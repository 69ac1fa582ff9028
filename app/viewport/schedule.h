// What to draw next: full or coarse, and when. Pure arithmetic, no device.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace hw::viewport {

/// What computes the field: nothing where there is none.
enum class Shading : uint8_t { none, cpu, gpu };

/// Predicts how long a G-buffer takes to draw and shade from the ones before, and picks a reduction for the next.
class Schedule {
 public:
  /// The reduction while the camera moves: 1 is full resolution, 4 a quarter of the pixels each way.
  int moving_factor(double pixels, Shading shading) const { return factor(pixels, shading, kMovingSeconds); }
  /// The reduction at rest when nothing fitting is on screen: full, unless that would keep the old picture too long.
  int first_factor(double pixels, Shading shading) const {
    return predict(pixels, shading) <= kRestSeconds ? 1 : factor(pixels, shading, kMovingSeconds);
  }
  void measured(double pixels, Shading shading, double seconds);

 private:
  static constexpr double kMovingSeconds = 0.045;  // about 20 pictures a second
  static constexpr double kRestSeconds = 0.12;
  static constexpr std::array<int, 7> kFactors{1, 2, 3, 4, 6, 8, 12};
  static constexpr int kUnknownFactor = 4;

  double predict(double pixels, Shading shading) const {
    const double cost = cost_[static_cast<size_t>(shading)];
    return cost < 0 ? 1.0 : cost * pixels;  // unknown: assume it is slow
  }
  int factor(double pixels, Shading shading, double budget) const {
    if (cost_[static_cast<size_t>(shading)] < 0) return kUnknownFactor;
    for (const int f : kFactors)
      if (predict(pixels, shading) / (f * f) <= budget) return f;
    return kFactors.back();
  }

  std::array<double, 3> cost_{-1, -1, -1};  // seconds a G-buffer pixel, by Shading; negative: unknown
};

inline void Schedule::measured(double pixels, Shading shading, double seconds) {
  double& cost = cost_[static_cast<size_t>(shading)];
  const double now = seconds / pixels;
  cost = cost < 0 ? now : 0.5 * (cost + now);  // smooths, yet follows a change of network within a few pictures
}

}  // namespace hw::viewport
