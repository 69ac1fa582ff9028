// BitwiseAnd, BitwiseOr, BitwiseXor, BitwiseNot: bits as numbers along a new last axis, in f64.
#include <cmath>

#include "app/interop/onnx/steps.h"

namespace hw::interop {
namespace {

/// 1 and 2, 4, .. along the last axis, the last of a signed dtype negative.
std::string weights(Steps& s, DType dtype, bool is_signed) {
  std::vector<double> all;
  for (int bit = 0; bit < info(dtype).bits; ++bit) all.push_back(std::ldexp(1.0, bit));
  if (is_signed) all.back() = -all.back();
  return s.constant(Tensor::from_f64(DType::f64, {std::ssize(all)}, all));
}

/// f64 [.., bits]: 0 or 1. ⌊x / 2^k⌋ is odd where bit k is set, also of a negative x.
std::string bits_of(Steps& s, const std::string& x, const std::string& powers) {
  const std::string shifted = s.add("Floor", {s.add("Div", {s.unsqueeze(s.cast(x, DType::f64), -1), powers})});
  const std::string two = s.number(2, shifted);
  const std::string even = s.add("Mul", {s.add("Floor", {s.add("Div", {shifted, two})}), two});
  return s.add("Sub", {shifted, even});
}

Result<DType> whole_dtype(Importer& im, const OnnxNode& n) {
  HW_TRY(const DType dtype, dtype_of_input(im, n, 0));
  if (info(dtype).is_float || dtype == DType::boolean || info(dtype).bits > 32)
    return unsupported("bits of " + std::string(name(dtype)) + ", of which f64 does not hold all.");
  return dtype;
}

Result<std::vector<OnnxNode>> of_two(Importer& im, const OnnxNode& n) {
  HW_TRY(const DType dtype, whole_dtype(im, n));
  Steps s(im, n);
  const std::string powers = weights(s, dtype, false);
  const std::string a = bits_of(s, input(n, 0), powers), b = bits_of(s, input(n, 1), powers);
  const std::string bits = n.op == "BitwiseAnd"  ? s.add("Mul", {a, b})
                           : n.op == "BitwiseOr" ? s.add("Max", {a, b})
                                                 : s.add("Abs", {s.add("Sub", {a, b})});
  const std::string placed = s.add("Mul", {bits, weights(s, dtype, dtype != DType::u8)});
  const std::string y = s.add("ReduceSum", {placed, s.integers({-1})}, {{"keepdims", int64_t{0}}});
  s.give(0, s.cast(y, dtype));
  return s.take();
}

/// −1 − x; of unsigned numbers 2^n − 1 − x.
Result<std::vector<OnnxNode>> of_one(Importer& im, const OnnxNode& n) {
  HW_TRY(const DType dtype, whole_dtype(im, n));
  Steps s(im, n);
  const std::string wide = s.cast(input(n, 0), DType::f64);
  s.give(0, s.cast(s.add("Sub", {s.number(dtype == DType::u8 ? 255 : -1, wide), wide}), dtype));
  return s.take();
}

}  // namespace

std::span<const StepsRow> bitwise_steps() {
  static constexpr StepsRow kRows[]{
      {"", "BitwiseAnd", of_two}, {"", "BitwiseNot", of_one}, {"", "BitwiseOr", of_two}, {"", "BitwiseXor", of_two}};
  return kRows;
}

}  // namespace hw::interop
