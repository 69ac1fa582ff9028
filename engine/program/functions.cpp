// The rows of the function tables.
#include "engine/program/functions.h"

namespace hw {
namespace {

constexpr FunctionInfo kUnary[] = {
#define HW_UNARY(name, formula, a, b) {#name, formula},
#include "engine/program/unary.def"
#undef HW_UNARY
};

constexpr FunctionInfo kBinary[] = {
#define HW_BINARY(name, formula) {#name, formula},
#include "engine/program/binary.def"
#undef HW_BINARY
};

constexpr FunctionInfo kCompare[] = {
#define HW_COMPARE(name, symbol) {#name, "a " #symbol " b"},
#include "engine/program/binary.def"
#undef HW_COMPARE
};

constexpr FunctionInfo kReduce[] = {{"max", "the largest"}, {"min", "the smallest"}};

}  // namespace

std::span<const FunctionInfo> unary_table() {
  return kUnary;
}
std::span<const FunctionInfo> binary_table() {
  return kBinary;
}
std::span<const FunctionInfo> compare_table() {
  return kCompare;
}
std::span<const FunctionInfo> reduce_table() {
  return kReduce;
}

}  // namespace hw
