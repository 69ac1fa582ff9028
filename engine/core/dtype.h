// The dtype table: one row per number format; every fact about a dtype lives in its row.
#pragma once

#include <algorithm>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace hw {

/// Number formats a wire, parameter or computation can have. tf32 is a compute mode of f32 storage, never stored.
enum class DType : uint8_t { f64, f32, tf32, f16, bf16, f8e4m3, f8e5m2, i8, u8, i32, i64, boolean };
inline constexpr int kDTypeCount = 12;

/// One row of the table.
struct DTypeInfo {
  DType dtype;
  std::string_view name;          // "f16": used in files, the CLI and on the canvas
  std::string_view code;          // two letters for sockets, distinct for every dtype
  std::string_view colour_token;  // theme token: "dtypeF16"
  int bits;                       // of one element in storage, where elements are packed; tf32: 32
  bool is_float;
  bool storable;         // false for tf32 alone
  bool runs;             // the cpu and ref devices have kernels for it in this version
  int exponent_bits;     // floats only, else 0
  int mantissa_bits;     // explicit bits; floats only
  double max;            // largest finite value
  double min_normal;     // smallest positive normal; floats only
  double min_subnormal;  // smallest positive value; floats only
  bool has_inf;
  bool has_nan;
  int block = 1;       // elements that share a scale, as in MX formats (32); 1: each stands alone
  int scale_bits = 0;  // of all that a block shares, stored with it; 0: nothing
};

/// The row of `dtype`. Never fails.
const DTypeInfo& info(DType dtype);
/// All rows in enum order.
std::span<const DTypeInfo> dtype_table();
/// Every finite value of the float `from` is one of the float `to`.
bool embeds(DType from, DType to);
/// The dtype named `name` ("f16"), or nothing.
std::optional<DType> dtype_from_name(std::string_view name);
inline std::string_view name(DType dtype) {
  return info(dtype).name;
}
/// Whether `dtype` is one of the list.
inline bool contains(std::span<const DType> list, DType dtype) {
  return std::ranges::find(list, dtype) != list.end();
}

/// Bytes of `count` elements of `bits` each, packed: the last byte is filled up. Blocks of `block` elements have
/// `scale_bits` more each: an element is in the block of its flat index, row major, whatever the axes are, and the last
/// block is filled up, too. For up to 2^59 elements of 64 bits, their part of the scale included, it does not wrap
/// around.
constexpr size_t packed_bytes(size_t bits, size_t count, size_t block = 1, size_t scale_bits = 0) {
  const size_t blocks = count / block + (count % block != 0 ? 1 : 0), block_bits = block * bits + scale_bits;
  return blocks / 8 * block_bits + (blocks % 8 * block_bits + 7) / 8;
}
/// Bytes of `count` elements of a row of the table.
template <std::integral Count>
constexpr size_t byte_count(const DTypeInfo& row, Count count) {
  return packed_bytes(static_cast<size_t>(row.bits), static_cast<size_t>(count), static_cast<size_t>(row.block),
                      static_cast<size_t>(row.scale_bits));
}
/// Bytes of `count` elements in memory and in files. What lies in memory is sized by it alone; of a tensor see sizes.h.
template <std::integral Count>
size_t byte_count(DType dtype, Count count) {
  return byte_count(info(dtype), count);
}
/// Bytes from an element to the next, for places of elements. Asserts that each has whole bytes of its own.
inline size_t size_of(DType dtype) {
  assert(info(dtype).bits % 8 == 0 && info(dtype).block == 1);
  return static_cast<size_t>(info(dtype).bits) / 8;
}

}  // namespace hw
