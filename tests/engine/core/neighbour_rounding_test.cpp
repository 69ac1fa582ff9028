#include <gtest/gtest.h>

namespace hw {
namespace {

/// Compiled as two lanes by GCC's SLP vectoriser, which then stores the products unrounded (GCC 12.2, -O2 and -O3).
[[gnu::noinline]] void round_two(double* __restrict out, const double* __restrict in, double scale) {
  for (int i = 0; i < 2; ++i) out[i] = static_cast<float>(in[i] * scale);
}

TEST(NeighbourRounding, BothAreRoundedToF32) {
  volatile double scale = 1;  // not known to the compiler
  const double in[2] = {6280752.801, 0.1};
  double out[2];
  round_two(out, in, scale);
  EXPECT_EQ(out[0], double{6280753.0f});
  EXPECT_EQ(out[1], double{0.1f});
}

}  // namespace
}  // namespace hw
