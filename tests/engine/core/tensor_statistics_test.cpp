// What is counted of a tensor: special values, moments, the histogram.
#include "engine/core/tensor_statistics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hw {
namespace {

TEST(TensorStatistics, CountWhatAnF16CannotHold) {
  const std::vector<double> values{0, 1, -2, 65504, 3e-6, NAN, INFINITY, 0.5};
  const TensorStatistics s = measure(Tensor::from_f64(DType::f16, {8}, values));
  EXPECT_EQ(s.count, 8);
  EXPECT_EQ(s.zeros, 1);
  EXPECT_EQ(s.nans, 1);
  EXPECT_EQ(s.infs, 1);
  EXPECT_EQ(s.subnormal, 1);
  EXPECT_EQ(s.saturated, 1);
  EXPECT_EQ(s.finite(), 6);
  EXPECT_EQ(s.min, -2);
  EXPECT_EQ(s.max, 65504);
  int64_t binned = 0;
  for (const int64_t n : s.bins) binned += n;
  EXPECT_EQ(binned, 5) << "finite, not zero";
  EXPECT_EQ(s.bins[static_cast<size_t>(0 - s.first)], 1) << "1 lies in [2^0, 2^1)";
  EXPECT_EQ(s.bins[static_cast<size_t>(-1 - s.first)], 1) << "0.5 lies in [2^-1, 2^0)";
  EXPECT_LE(s.first, -24) << "the band of f16 is on the axis";
  EXPECT_GE(s.first + static_cast<int>(s.bins.size()), 16);
}

TEST(TensorStatistics, MomentsDoNotCancel) {
  std::vector<double> values(10000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = 1e8 + (i % 2 ? 1 : -1);
  const TensorStatistics s = measure(Tensor::from_f64(DType::f64, {10000}, values));
  EXPECT_DOUBLE_EQ(s.mean, 1e8);
  EXPECT_NEAR(s.deviation, 1, 1e-6);
}

TEST(TensorStatistics, OfNothing) {
  const TensorStatistics none = measure(Tensor());
  EXPECT_EQ(none.count, 0);
  const TensorStatistics zeros = measure(Tensor::zeros(DType::f32, {4}));
  EXPECT_EQ(zeros.zeros, 4);
  EXPECT_EQ(zeros.min, 0);
  EXPECT_EQ(zeros.max, 0);
}

}  // namespace
}  // namespace hw
