// The table of ops is whole, and so is a table of a device; one that is not names the op.
#include "engine/program/op_table.h"

#include <gtest/gtest.h>

#include "engine/program/op_spec.h"

namespace hw {
namespace {

std::vector<OpRow<int>> all_rows() {
  std::vector<OpRow<int>> rows;
  for (size_t i = 0; i < op_table().size(); ++i) rows.push_back({static_cast<Op>(i), static_cast<int>(i)});
  return rows;
}

TEST(OpTable, ALackingRowIsNamedAndSoIsADoubleOne) {
  EXPECT_EQ(op_without_one_row<int>(all_rows()), std::nullopt);
  for (size_t i = 0; i < op_table().size(); ++i) {
    auto rows = all_rows();
    rows.erase(rows.begin() + static_cast<ptrdiff_t>(i));
    EXPECT_EQ(op_without_one_row<int>(rows), static_cast<Op>(i));
    rows = all_rows();
    rows.push_back({static_cast<Op>(i), 0});
    EXPECT_EQ(op_without_one_row<int>(rows), static_cast<Op>(i));
  }
}

TEST(OpTable, EntriesStandAtTheirOp) {
  static constexpr OpRow<int> kRows[] = {
#define HW_OP(name, ...) {Op::name, static_cast<int>(Op::name)},
#include "engine/program/ops.def"
#undef HW_OP
  };
  constexpr auto table = complete_table<kRows>();
  for (size_t i = 0; i < table.size(); ++i) EXPECT_EQ(table[i], static_cast<int>(i));
}

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
