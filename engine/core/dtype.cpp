// The dtype table itself.
#include "engine/core/dtype.h"

#include <array>
#include <cassert>

namespace hw {
namespace {

// name, code, colour, bits, float, storable, runs, exponent, mantissa, max, min normal, min subnormal, inf, nan; of
// block-scaled formats the block and the bits of its scale.
constexpr std::array<DTypeInfo, kDTypeCount> kTable{{
    {DType::f64, "f64", "64", "dtypeF64", 64, true, true, true, 11, 52, 0x1.fffffffffffffp1023, 0x1p-1022, 0x1p-1074,
     true, true},
    {DType::f32, "f32", "32", "dtypeF32", 32, true, true, true, 8, 23, 0x1.fffffep127, 0x1p-126, 0x1p-149, true, true},
    {DType::tf32, "tf32", "TF", "dtypeTf32", 32, true, false, false, 8, 10, 0x1.ffcp127, 0x1p-126, 0x1p-136, true,
     true},
    {DType::f16, "f16", "16", "dtypeF16", 16, true, true, true, 5, 10, 65504, 0x1p-14, 0x1p-24, true, true},
    {DType::bf16, "bf16", "BF", "dtypeBf16", 16, true, true, true, 8, 7, 0x1.fep127, 0x1p-126, 0x1p-133, true, true},
    {DType::f8e4m3, "f8e4m3", "E4", "dtypeF8", 8, true, true, true, 4, 3, 448, 0x1p-6, 0x1p-9, false, true},
    {DType::f8e5m2, "f8e5m2", "E5", "dtypeF8", 8, true, true, true, 5, 2, 57344, 0x1p-14, 0x1p-16, true, true},
    {DType::i8, "i8", "I8", "dtypeInt", 8, false, true, false, 0, 0, 127, 0, 0, false, false},
    {DType::u8, "u8", "U8", "dtypeInt", 8, false, true, false, 0, 0, 255, 0, 0, false, false},
    {DType::i32, "i32", "I3", "dtypeInt", 32, false, true, false, 0, 0, 2147483647, 0, 0, false, false},
    {DType::i64, "i64", "I6", "dtypeInt", 64, false, true, false, 0, 0, 0x1p63, 0, 0, false, false},
    {DType::boolean, "bool", "BO", "dtypeInt", 8, false, true, false, 0, 0, 1, 0, 0, false, false},
}};

}  // namespace

const DTypeInfo& info(DType dtype) {
  const auto index = static_cast<size_t>(dtype);
  assert(index < kTable.size());
  return kTable[index];
}

std::span<const DTypeInfo> dtype_table() {
  return kTable;
}

bool embeds(DType from, DType to) {
  const DTypeInfo &a = info(from), &b = info(to);
  if (from == to) return true;
  return a.is_float && b.is_float && b.mantissa_bits >= a.mantissa_bits && b.max >= a.max &&
         b.min_normal <= a.min_normal && b.min_subnormal <= a.min_subnormal;
}

std::optional<DType> dtype_from_name(std::string_view name) {
  for (const DTypeInfo& row : kTable)
    if (row.name == name) return row.dtype;
  return std::nullopt;
}

}  // namespace hw
