// A tensor as a picture: axes, slices, colour, ranges, and what is not finite.
#include "app/models/tensors/tensor_picture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace hw::app {
namespace {

Tensor counted(Dims dims) {
  std::vector<double> values(static_cast<size_t>(element_count(dims)));
  std::iota(values.begin(), values.end(), 0);
  return Tensor::from_f64(DType::f32, std::move(dims), values);
}

double lightness(QRgb c) {
  const auto linear = [](double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
  return 0.2126 * linear(qRed(c) / 255.0) + 0.7152 * linear(qGreen(c) / 255.0) + 0.0722 * linear(qBlue(c) / 255.0);
}

TEST(TensorPicture, MatrixIsAHeatMapOfItsRange) {
  const Tensor t = counted({2, 3});
  const TensorPicture p = picture_of(t, default_axes(t.dims()), {}, 64);
  ASSERT_EQ(p.image.size(), QSize(3, 2));
  EXPECT_EQ(p.range.low, 0);
  EXPECT_EQ(p.range.high, 5);
  for (int y = 0; y < 2; ++y) {
    for (int x = 0; x < 3; ++x) EXPECT_EQ(p.image.pixel(x, y), colormap((y * 3 + x) / 5.0));
  }
  EXPECT_EQ(value_at(t, default_axes(t.dims()), 1, 2), 5);
}

TEST(TensorPicture, FixedRangeClips) {
  const Tensor t = counted({1, 4});
  const TensorPicture p = picture_of(t, default_axes(t.dims()), PictureRange{1, 2}, 64);
  EXPECT_EQ(p.image.pixel(0, 0), colormap(0));
  EXPECT_EQ(p.image.pixel(1, 0), colormap(0));
  EXPECT_EQ(p.image.pixel(2, 0), colormap(1));
  EXPECT_EQ(p.image.pixel(3, 0), colormap(1));
}

TEST(TensorPicture, SlicesOfNCHW) {
  const Tensor t = counted({2, 3, 4, 5});
  PictureAxes axes = default_axes(t.dims());
  EXPECT_EQ(axes.rows, 2);
  EXPECT_EQ(axes.columns, 3);
  axes.slice = {1, 2, 0, 0};
  EXPECT_EQ(value_at(t, axes, 3, 4), 119);
  EXPECT_EQ(picture_of(t, axes, {}, 64).range.low, 100);
  axes.rows = 3, axes.columns = 1;  // transposed onto other axes
  EXPECT_EQ(value_at(t, axes, 4, 2), 60 + 40 + 0 + 4);
  const TensorPicture p = picture_of(t, axes, {}, 64);
  EXPECT_EQ(p.height, 5);
  EXPECT_EQ(p.width, 3);
}

TEST(TensorPicture, ColourComesFromTheAxisOfThree) {
  const Tensor t = Tensor::from_f64(DType::f16, {1, 2, 3}, std::vector<double>{1, 0, 0, 0, 0.5, 1});
  const PictureAxes axes = default_axes(t.dims());
  EXPECT_EQ(axes.colour, 2);
  const TensorPicture p = picture_of(t, axes, {}, 64);
  EXPECT_EQ(p.image.pixel(0, 0), qRgb(255, 0, 0));
  EXPECT_EQ(p.image.pixel(1, 0), qRgb(0, 128, 255));
  // The same numbers with the channels first.
  const Tensor u = Tensor::from_f64(DType::f32, {3, 1, 2}, std::vector<double>{1, 0, 0, 0.5, 0, 1});
  PictureAxes first = default_axes(u.dims());
  first.colour = 0;
  EXPECT_EQ(picture_of(u, first, {}, 64).image, p.image);
}

TEST(TensorPicture, OneBadValueInALargeTensorIsSeen) {
  std::vector<double> values(300 * 200, 0.25);
  values[150 * 200 + 77] = std::numeric_limits<double>::quiet_NaN();
  values[0] = std::numeric_limits<double>::infinity();
  values[1] = 0.75;
  const Tensor t = Tensor::from_f64(DType::f32, {300, 200}, values);
  const TensorPicture p = picture_of(t, default_axes(t.dims()), {}, 20);
  ASSERT_EQ(p.image.size(), QSize(20, 20));
  EXPECT_EQ(p.bad, 2);
  EXPECT_EQ(p.range.low, 0.25);
  EXPECT_EQ(p.range.high, 0.75);
  EXPECT_EQ(p.image.pixel(7, 10), bad_colour());
  EXPECT_EQ(p.image.pixel(0, 0), bad_colour());
  EXPECT_EQ(p.image.pixel(8, 10), colormap(0));
}

TEST(TensorPicture, ListsScalarsAndNothing) {
  const Tensor line = counted({7});
  EXPECT_EQ(picture_of(line, default_axes(line.dims()), {}, 64).image.size(), QSize(7, 1));
  const Tensor scalar = counted({});
  EXPECT_EQ(picture_of(scalar, default_axes(scalar.dims()), {}, 64).image.size(), QSize(1, 1));
  EXPECT_TRUE(picture_of(Tensor(), {}, {}, 64).image.isNull());
  EXPECT_TRUE(picture_of(counted({0, 3}), default_axes({0, 3}), {}, 64).image.isNull());
}

TEST(TensorPicture, ColoursGrowLighterAndAreNeverTheMarkOfBadOnes) {
  for (int i = 0; i <= 255; ++i) {
    const double here = lightness(colormap(i / 255.0));
    // Eight bits a channel: neighbours may be one colour, never darker.
    if (i >= 1) {
      EXPECT_GE(here, lightness(colormap((i - 1) / 255.0))) << i;
    }
    if (i >= 4) {
      EXPECT_GT(here, lightness(colormap((i - 4) / 255.0))) << i;
    }
    EXPECT_NE(colormap(i / 255.0), bad_colour());
  }
  EXPECT_LT(lightness(colormap(0)), 0.05);
  EXPECT_GT(lightness(colormap(1)), 0.7);
}

}  // namespace
}  // namespace hw::app
