// Labels of a logarithmic axis: never on each other, at any size.
#include "app/models/views/log_ticks.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hw::app {
namespace {

TEST(LogTicks, KeepTheirDistanceAtAnySize) {
  for (double low = -40; low < 10; low += 3.5) {
    for (double range = 0.5; range < 50; range *= 1.6) {
      for (double pixels = 12; pixels < 900; pixels *= 1.3) {
        const auto ticks = log_ticks(low, low + range, pixels, 14, 12);
        EXPECT_LE(ticks.size(), 12u);
        for (size_t i = 0; i < ticks.size(); ++i) {
          const double place = std::log10(ticks[i]);
          EXPECT_TRUE(place > low - 1e-6 && place < low + range + 1) << low << ' ' << range;
          if (i > 0) {
            EXPECT_GE((place - std::log10(ticks[i - 1])) * pixels / range, 14 - 1e-6);
          }
        }
      }
    }
  }
}

TEST(LogTicks, AreAsManyAsFit) {
  EXPECT_EQ(log_ticks(-1, 0, 100, 14, 12), (std::vector<double>{0.1, 0.2, 0.5, 1}));
  EXPECT_EQ(log_ticks(-4, 0, 100, 14, 12).size(), 5u) << "powers of ten";
  EXPECT_EQ(log_ticks(-8, 0, 60, 14, 12), (std::vector<double>{1e-8, 1e-6, 1e-4, 1e-2, 1}));
}

}  // namespace
}  // namespace hw::app
