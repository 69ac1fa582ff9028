// A table of functions is whole, or names the one that it lacks; a row of ops.def agrees with itself.
#include "engine/program/op_table.h"

#include <gtest/gtest.h>

#include "engine/program/op_spec.h"

namespace hw {
namespace {

TEST(OpTable, AFunctionWithoutARowIsNamed) {
  std::vector<BinaryFn> rows;
  for (size_t i = 0; i < kBinaryFns; ++i) rows.push_back(static_cast<BinaryFn>(i));
  const auto wrong = [&] { return without_one_row<BinaryFn>(rows, kBinaryFns, [](BinaryFn fn) { return fn; }); };
  EXPECT_EQ(wrong(), std::nullopt);
  std::erase(rows, BinaryFn::atan2);
  EXPECT_EQ(wrong(), BinaryFn::atan2);
}

TEST(OpTable, ARowAgreesWithItself) {
  for (size_t i = 0; i < op_table().size(); ++i) {
    const OpSpec& s = spec(static_cast<Op>(i));
    EXPECT_EQ(op_table()[i].outputs == 0, s.sources == sources::in_place) << op_table()[i].name;
    EXPECT_EQ(s.tiling->tile == nullptr, s.tiling->follows == nullptr) << op_table()[i].name;
  }
}

}  // namespace
}  // namespace hw
