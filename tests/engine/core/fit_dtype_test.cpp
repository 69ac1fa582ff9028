// Arrays in the dtype of a wire: values are kept, or it is said what became of them.
#include "engine/core/fit_dtype.h"

#include <gmock/gmock.h>

#include <limits>

#include "engine/core/codes.h"
#include "engine/core/place_text.h"

namespace hw {
namespace {

using ::testing::HasSubstr;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();

Tensor of(DType dtype, const std::vector<double>& values) {
  return Tensor::from_f64(dtype, {static_cast<int64_t>(values.size())}, values);
}

TEST(FitDtype, WhatIsHeldIsConvertedWithoutAWord) {
  for (const DTypeInfo& from : dtype_table()) {
    for (const DTypeInfo& to : dtype_table()) {
      if (!from.storable || !to.storable) continue;
      const auto fitted = fit_dtype(of(from.dtype, {0, 1, 1, 0}), to.dtype, "x.y");
      ASSERT_TRUE(fitted) << fitted.error().text();
      EXPECT_EQ(fitted->tensor.dtype(), to.dtype);
      EXPECT_EQ(fitted->tensor.to_f64(), (std::vector<double>{0, 1, 1, 0})) << from.name << " " << to.name;
      EXPECT_EQ(fitted->note, "") << from.name << " " << to.name;
    }
  }
  EXPECT_EQ(fit_dtype(of(DType::f64, {kNaN, kInf, -kInf, -0.0}), DType::f16, "x")->note, "") << "f16 has them, too";
}

TEST(FitDtype, RoundedAndInfiniteValuesAreCounted) {
  const auto rounded = fit_dtype(of(DType::f64, {1, 0.1, 2, 1e-3}), DType::f32, "x.y");
  ASSERT_TRUE(rounded);
  EXPECT_THAT(rounded->note, HasSubstr("f64 converted to f32: 2 values are rounded, by "));
  const auto beyond = fit_dtype(of(DType::f32, {1, 70'000}), DType::f16, "x.y");
  ASSERT_TRUE(beyond);
  EXPECT_THAT(beyond->note, HasSubstr("1 value is beyond what f16 holds, the first of them 70000 at [1]"));
}

TEST(FitDtype, WholeNumbersTakeOnlyThemselves) {
  struct Case {
    DType from;
    double value;
    DType to;
    const char* said;
  };
  for (const Case& c : {Case{DType::f32, 0.5, DType::i64, "0.5 at [1]"},
                        {DType::f64, kNaN, DType::i64, "nan at [1]"},
                        {DType::f32, kInf, DType::i32, "inf at [1]"},
                        {DType::i32, 300, DType::u8, "300 at [1]"},
                        {DType::i64, -1, DType::u8, "-1 at [1]"},
                        {DType::f64, 3e9, DType::i32, "3e+09 at [1]"},
                        {DType::u8, 2, DType::boolean, "2 at [1]"}}) {
    const auto fitted = fit_dtype(of(c.from, {1, c.value}), c.to, "labels.y");
    ASSERT_FALSE(fitted) << c.said;
    EXPECT_EQ(fitted.error().code, codes::dtype_mismatch);
    EXPECT_EQ(fitted.error().where, "labels.y");
    EXPECT_THAT(fitted.error().reason, HasSubstr(c.said));
    EXPECT_FALSE(fitted.error().remedy.empty());
  }
}

// f64 holds whole numbers to 2^53: beyond, i64 is compared as such.
TEST(FitDtype, LargeWholeNumbersAreNotTakenForKept) {
  Tensor large(DType::i64, {2});
  large.as<int64_t>()[0] = (int64_t{1} << 53) + 1;
  large.as<int64_t>()[1] = 3;
  EXPECT_THAT(fit_dtype(large, DType::f64, "x")->note, HasSubstr("1 value is rounded"));
  EXPECT_THAT(fit_dtype(large, DType::f32, "x")->note, HasSubstr("1 value is rounded"));
}

TEST(FitDtype, PlacesAreRowAfterRow) {
  EXPECT_EQ(place_text(23, {2, 3, 4}), "[1, 2, 3]");
  EXPECT_EQ(place_text(0, {}), "[]");
}

}  // namespace
}  // namespace hw
