// Ranges of whole numbers, and their bits.
#include <cmath>

#include "app/interop/onnx/keep_ranges.h"
#include "app/interop/onnx/rules.h"

namespace hw::interop {
namespace {

struct Range {
  double least, period;
};

Range range_of(const OnnxDType& type) {
  const double period = std::ldexp(1.0, type.bits);
  return {type.kind == OnnxDType::Kind::whole ? -period / 2 : 0, period};
}

/// The number of keep_ranges() that the operator names.
Result<const OnnxDType*> named(const OnnxNode& n) {
  const OnnxDType* type = find_onnx_dtype(n.integer(kToNumber, 0));
  if (!type || !type->is_whole()) return unsupported("no node rounds to " + onnx_name(n.integer(kToNumber, 0)) + ".");
  return type;
}

Status wrap(Importer& im, const OnnxNode& n) {
  HW_TRY(const OnnxDType* type, named(n));
  HW_TRY(const Wire x, im.in(n, 0));
  Wire inside = x;
  if (type->bits < 64) {
    HW_TRY(const Wire wide, im.cast(x, DType::f64));
    const Range range = range_of(*type);
    HW_TRY(inside, im.in_period(wide, range.least, range.period));
  }
  HW_TRY(const Wire y, im.cast(inside, type->held));
  im.set(n, 0, y);
  return ok();
}

Status saturate(Importer& im, const OnnxNode& n) {
  HW_TRY(const OnnxDType* type, named(n));
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const Wire wide, im.cast(x, DType::f64));
  const Range range = range_of(*type);
  HW_TRY(const Wire inside,
         im.add("clip", {{"x", wide}}, {{"min", range.least}, {"max", range.least + range.period - 1}}));
  HW_TRY(const Wire y, im.cast(inside, type->held));
  im.set(n, 0, y);
  return ok();
}

/// x · 2^s, or ⌊x / 2^s⌋; with s negative, or no smaller than the number of bits, what is left is the sign.
Status bit_shift(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const Wire shift, im.in(n, 1));
  HW_TRY(const WireType given, im.type(x));
  HW_TRY(const Wire wide, im.cast(x, DType::f64));
  HW_TRY(Wire by, im.cast(shift, DType::f64));
  HW_TRY(const Wire all, im.scalar(DType::f64, 64));
  HW_TRY(const Wire zero, im.scalar(DType::f64, 0));
  HW_TRY(const Wire is_negative, im.add("compare", {{"a", by}, {"b", zero}}, {{"operation", std::string("less")}}));
  HW_TRY(by, im.add("where", {{"condition", is_negative}, {"a", all}, {"b", by}}));
  HW_TRY(by, im.add("min", {{"a", by}, {"b", all}}));
  HW_TRY(const Wire two, im.scalar(DType::f64, 2));
  HW_TRY(const Wire power, im.add("pow", {{"base", two}, {"exponent", by}}));
  const bool left = n.text("direction", "") == "LEFT";
  HW_TRY(Wire y, im.add(left ? "mul" : "div", {{"a", wide}, {"b", power}}));
  if (left) {
    const double period = std::ldexp(1.0, info(given.dtype).bits);
    HW_TRY(y, im.in_period(y, given.dtype == DType::u8 ? 0 : -period / 2, period));
  } else {
    HW_TRY(y, im.add("floor", {{"x", y}}));
  }
  HW_TRY(const Wire back, im.cast(y, given.dtype));
  im.set(n, 0, back);
  return ok();
}

}  // namespace

std::span<const RuleRow> bit_rules() {
  static constexpr RuleRow kRows[]{{"BitShift", bit_shift}, {kSaturate, saturate}, {kWrap, wrap}};
  return kRows;
}

}  // namespace hw::interop
