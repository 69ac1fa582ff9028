// The dtype table: order, names, codes, and figures that follow from the bit counts.
#include "engine/core/dtype.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace hw {
namespace {

TEST(DTypeTable, rows_are_in_enum_order_and_found_by_name) {
  ASSERT_EQ(dtype_table().size(), size_t(kDTypeCount));
  for (int i = 0; i < kDTypeCount; ++i) {
    const DTypeInfo& row = info(DType(i));
    EXPECT_EQ(int(row.dtype), i);
    EXPECT_EQ(dtype_from_name(row.name), row.dtype);
  }
  EXPECT_EQ(dtype_from_name("float16"), std::nullopt);
  EXPECT_EQ(dtype_from_name(""), std::nullopt);
}

TEST(DTypeTable, names_and_codes_are_distinct_and_codes_have_two_letters) {
  std::set<std::string_view> names, codes;
  for (const DTypeInfo& row : dtype_table()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(codes.insert(row.code).second) << row.code;
    EXPECT_EQ(row.code.size(), 2u);
    EXPECT_EQ(row.colour_token.substr(0, 5), "dtype");
  }
}

TEST(DTypeTable, float_figures_follow_from_the_bit_counts) {
  for (const DTypeInfo& row : dtype_table()) {
    if (!row.is_float) continue;
    SCOPED_TRACE(row.name);
    const int bias = (1 << (row.exponent_bits - 1)) - 1, m = row.mantissa_bits;
    EXPECT_EQ(row.min_normal, std::ldexp(1.0, 1 - bias));
    EXPECT_EQ(row.min_subnormal, std::ldexp(1.0, 1 - bias - m));
    const double top = row.has_inf ? std::ldexp(2 - std::ldexp(1.0, -m), bias)
                                   : std::ldexp(2 - std::ldexp(1.0, 1 - m), bias + 1);  // E4M3FN
    EXPECT_EQ(row.max, top);
    EXPECT_TRUE(row.has_nan);
    if (row.storable) {
      EXPECT_EQ(row.bits, 1 + row.exponent_bits + m);
    }
  }
  EXPECT_FALSE(info(DType::tf32).storable);
  EXPECT_EQ(info(DType::tf32).bits, 32);
}

}  // namespace
}  // namespace hw
