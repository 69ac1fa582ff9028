// A ratio as a change in percent: its sign, its digits, its noise.
#include "engine/precision/change_text.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/precision/paired_time.h"

namespace hw {
namespace {

TEST(ChangeText, HasASignAndMoreDigitsBelowTenPercent) {
  EXPECT_EQ(change_text(1), "+0.00 %");
  EXPECT_EQ(change_text(1.0125), "+1.25 %");
  EXPECT_EQ(change_text(0.9375), "−6.25 %");
  EXPECT_EQ(change_text(0.5), "−50.0 %");
  EXPECT_EQ(change_text(12.5), "+1150.0 %");
}

TEST(ChangeText, ShowsNoiseWhereItIsKnown) {
  EXPECT_EQ(change_text(1.25, 0.03), "+25.0 % ± 3.0 %");
  EXPECT_EQ(change_text(1.25, 0), "+25.0 % ± 0.0 %");
  EXPECT_EQ(change_text(1.25, 1), "+25.0 %");
  EXPECT_EQ(change_text(1.25, NAN), "+25.0 %");
  PairedTime time;
  time.add(1, 1);  // warms up
  EXPECT_EQ(change_text(time), "not measured");
  for (int pair = 0; pair < 3; ++pair) time.add(1, 1);
  EXPECT_EQ(change_text(time), "not measured") << "three pairs say nothing of their noise";
  time.add(1, 1);
  EXPECT_EQ(change_text(time), "+0.00 % ± 0.0 %");
}

TEST(ChangeText, HasNoSignWithoutDigits) {
  EXPECT_EQ(change_text(1 - 1e-9), "+0.00 %");
  EXPECT_EQ(change_text(1 - 1e-4), "−0.01 %");
}

TEST(ChangeText, SaysWhereNothingWasMeasured) {
  EXPECT_EQ(change_text(INFINITY, 0.1), "failed");
  EXPECT_EQ(change_text(NAN), "failed");
}

TEST(ChangeText, IsWholeForTheLargestRatios) {
  EXPECT_EQ(change_text(1e30), "+100000000000000005366162204393472.0 %");
  EXPECT_TRUE(change_text(1e300).ends_with(".0 %"));
}

}  // namespace
}  // namespace hw
