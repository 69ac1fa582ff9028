// What Augment does to pictures, and what it leaves.
#include <set>

#include "tests/nodes/known_values.h"

namespace hw::test {
namespace {

constexpr int64_t kPictures = 32, kHeight = 6, kWidth = 6, kPixels = kHeight * kWidth;

/// Different in every pixel, and 0 within a margin of two.
Tensor pictures() {
  std::vector<double> all;
  for (int64_t i = 0; i < kPictures * kPixels; ++i) {
    const int64_t row = i / kWidth % kHeight, column = i % kWidth;
    const bool inner = row >= 2 && row < 4 && column >= 2 && column < 4;
    all.push_back(inner ? static_cast<double>(i % 97 + 1) : 0);
  }
  return f32({kPictures, 1, kHeight, kWidth}, all);
}

std::vector<double> augmented(const ParamMap& params, bool training = true) {
  return values({.node = "augment", .inputs = {{"x", pictures()}}, .params = params, .training = training});
}

TEST(Augment, LeavesPicturesOutsideTraining) {
  EXPECT_EQ(augmented({{"rotation", 30.0}, {"flip", true}, {"contrast", 0.5}}, false), pictures().to_f64());
}

TEST(Augment, OfNothingIsThePicture) {
  EXPECT_THAT(augmented({{"shift", 0.0}}), near(pictures().to_f64(), 1e-4));
}

TEST(Augment, MirrorsHalfOfThePictures) {
  const std::vector<double> y = augmented({{"shift", 0.0}, {"flip", true}}), x = pictures().to_f64();
  size_t kept = 0, mirrored = 0;
  for (int64_t n = 0; n < kPictures; ++n) {
    bool same = true, mirror = true;
    for (int64_t i = 0; i < kPixels; ++i) {
      const int64_t row = i / kWidth, column = i % kWidth, begin = n * kPixels;
      const double got = y[static_cast<size_t>(begin + i)];
      same = same && std::abs(got - x[static_cast<size_t>(begin + i)]) < 1e-3;
      const int64_t other = begin + row * kWidth + (kWidth - 1 - column);
      mirror = mirror && std::abs(got - x[static_cast<size_t>(other)]) < 1e-3;
    }
    kept += same;
    mirrored += mirror;
  }
  EXPECT_EQ(kept + mirrored, static_cast<size_t>(kPictures));
  EXPECT_GT(kept, 5u);
  EXPECT_GT(mirrored, 5u);
}

TEST(Augment, MovesAndTurnsWithoutChangingTheSum) {
  for (const ParamMap& params : {ParamMap{{"shift", 1.0}}, ParamMap{{"shift", 0.0}, {"rotation", 180.0}}}) {
    const std::vector<double> y = augmented(params), x = pictures().to_f64();
    std::set<double> moved;
    for (int64_t n = 0; n < kPictures; ++n) {
      double before = 0, after = 0, column = 0;
      for (int64_t i = n * kPixels; i < (n + 1) * kPixels; ++i) {
        before += x[static_cast<size_t>(i)];
        after += y[static_cast<size_t>(i)];
        column += y[static_cast<size_t>(i)] * static_cast<double>(i % kWidth);
      }
      // Bilinear weights of a turned grid do not quite sum up to 1.
      EXPECT_NEAR(after, before, params.contains("rotation") ? 0.25 * before : 1e-3 * before) << n;
      moved.insert(column / after);
    }
    EXPECT_GT(moved.size(), 25u) << "each picture in its own way";
  }
}

TEST(Augment, ChangesBrightnessAndContrastOfAPictureAsOne) {
  const std::vector<double> y = augmented({{"shift", 0.0}, {"brightness", 0.5}, {"contrast", 0.25}}),
                            x = pictures().to_f64();
  for (int64_t n = 0; n < kPictures; ++n) {
    const auto at = [&](const std::vector<double>& of, int64_t i) { return of[static_cast<size_t>(n * kPixels + i)]; };
    const double brighter = at(y, 0), factor = (at(y, 14) - brighter) / at(x, 14);
    EXPECT_LE(std::abs(brighter), 0.5);
    EXPECT_LE(std::abs(factor - 1), 0.25 + 1e-4);
    for (int64_t i = 0; i < kPixels; ++i) EXPECT_NEAR(at(y, i), at(x, i) * factor + brighter, 1e-2);
  }
}

}  // namespace
}  // namespace hw::test
