// The tables of elementwise functions: rows of unary.def and binary.def as enums, with their names.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace hw {

enum class UnaryFn : uint8_t {
#define HW_UNARY(name, formula, a, b) name,
#include "engine/program/unary.def"
#undef HW_UNARY
};

enum class BinaryFn : uint8_t {
#define HW_BINARY(name, formula) name,
#include "engine/program/binary.def"
#undef HW_BINARY
};

inline constexpr size_t kUnaryFns = 0
#define HW_UNARY(name, formula, a, b) +1
#include "engine/program/unary.def"
#undef HW_UNARY
    ;
inline constexpr size_t kBinaryFns = 0
#define HW_BINARY(name, formula) +1
#include "engine/program/binary.def"
#undef HW_BINARY
    ;

enum class CompareFn : uint8_t {
#define HW_COMPARE(name, symbol) name,
#include "engine/program/binary.def"
#undef HW_COMPARE
};

/// What is left of many elements. Of none: max −Inf, min Inf. NaN among them gives NaN.
enum class ReduceFn : uint8_t { max, min };

/// A row: its name in listings and fixtures, and its formula in x, or a and b.
struct FunctionInfo {
  std::string_view name, formula;
};
std::span<const FunctionInfo> unary_table();
std::span<const FunctionInfo> binary_table();
std::span<const FunctionInfo> compare_table();
std::span<const FunctionInfo> reduce_table();

template <class Fn>
const FunctionInfo& row_of(std::span<const FunctionInfo> table, Fn fn) {
  return table[static_cast<size_t>(fn)];
}
inline const FunctionInfo& info(UnaryFn fn) {
  return row_of(unary_table(), fn);
}
inline const FunctionInfo& info(BinaryFn fn) {
  return row_of(binary_table(), fn);
}
inline const FunctionInfo& info(CompareFn fn) {
  return row_of(compare_table(), fn);
}
inline const FunctionInfo& info(ReduceFn fn) {
  return row_of(reduce_table(), fn);
}

}  // namespace hw
