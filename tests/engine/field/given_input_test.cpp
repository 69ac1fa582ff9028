// Pictures and arrays as the value of an Input.
#include "engine/field/given_input.h"

#include <gtest/gtest.h>

#include "engine/core/codes.h"

namespace hw {
namespace {

Shape named(const std::vector<std::pair<const char*, int64_t>>& axes) {
  Shape shape;
  for (const auto& [name, size] : axes) shape.push_back({name, size, ""});
  return shape;
}

TEST(GivenInput, LayoutsOfPictures) {
  const auto nchw = picture_layout(named({{"N", 2}, {"C", 3}, {"H", 5}, {"W", 7}}));
  ASSERT_TRUE(nchw);
  EXPECT_EQ(nchw->count, 2);
  EXPECT_EQ(nchw->channels, 3);
  EXPECT_EQ(nchw->height, 5);
  EXPECT_EQ(nchw->width, 7);
  EXPECT_TRUE(picture_layout(named({{"H", 5}, {"W", 7}, {"C", 1}}))->channels_last);
  EXPECT_EQ(picture_layout(named({{"N", 64}, {"C", 784}}))->width, 28);
  EXPECT_EQ(picture_layout(named({{"H", 5}, {"W", 7}}))->height, 5);
  EXPECT_FALSE(picture_layout(named({{"N", 64}, {"C", 3}})));
  EXPECT_FALSE(picture_layout(named({{"N", 2}, {"C", 16}, {"H", 5}, {"W", 7}})));
  EXPECT_FALSE(picture_layout(named({{"C", 9}})));
}

TEST(GivenInput, APictureIsRepeatedInItsLayout) {
  const Image image{2, 1, {255, 0, 0, 255, 0, 255, 0, 0}};  // red; green, but transparent
  const Shape nchw = named({{"N", 2}, {"C", 3}, {"H", 1}, {"W", 2}});
  EXPECT_EQ(picture_value(image, *picture_layout(nchw), nchw, DType::f32).to_f64(),
            (std::vector<double>{1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0}));
  const Shape hwc = named({{"H", 1}, {"W", 2}, {"C", 3}});
  EXPECT_FALSE(picture_layout(hwc)->channels_last) << "a height of 1 is a channel";
  const Image two{1, 2, {255, 0, 0, 255, 0, 255, 0, 255}};
  const Shape tall = named({{"H", 2}, {"W", 1}, {"C", 3}});
  EXPECT_EQ(picture_value(two, *picture_layout(tall), tall, DType::f32).to_f64(),
            (std::vector<double>{1, 0, 0, 0, 1, 0}));
  const Shape grey = named({{"N", 1}, {"C", 1}, {"H", 1}, {"W", 2}});
  const auto luma = picture_value(image, *picture_layout(grey), grey, DType::f16).to_f64();
  EXPECT_NEAR(luma[0], 0.299, 1e-3);
  EXPECT_EQ(luma[1], 0);
}

TEST(GivenInput, AnArrayFitsOrIsRefused) {
  const Shape shape = named({{"N", 2}, {"C", 2}});
  const Tensor row = Tensor::from_f64(DType::f64, {2}, {{1, 2}});
  const auto repeated = array_value(row, shape, DType::f32, "i");
  ASSERT_TRUE(repeated);
  EXPECT_EQ(repeated->dtype(), DType::f32);
  EXPECT_EQ(repeated->to_f64(), (std::vector<double>{1, 2, 1, 2}));
  EXPECT_EQ(array_value(*repeated, shape, DType::f32, "i")->to_f64(), repeated->to_f64());
  const auto wrong = array_value(Tensor::zeros(DType::f32, {3}), shape, DType::f32, "i");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, codes::size_mismatch);
}

}  // namespace
}  // namespace hw
