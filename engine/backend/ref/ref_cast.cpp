// ref: casts, and the rounding of factors and results, by the distance between neighbours of the format.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/backend/ref/ref_ops.h"
#include "engine/core/philox.h"

namespace hw::ref {
namespace {

// From |x|, not 0, to the next larger number of the format.
double distance(double x, const DTypeInfo& format) {
  int exponent;
  std::frexp(x, &exponent);
  return std::max(std::ldexp(1.0, exponent - 1 - format.mantissa_bits), format.min_subnormal);
}

double in_range(double x, const DTypeInfo& format) {
  if (std::abs(x) <= format.max) return x;
  return format.has_inf ? std::copysign(HUGE_VAL, x) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

double rounded(double x, DType dtype) {
  if (dtype == DType::f64 || x == 0 || std::isnan(x)) return x;
  const DTypeInfo& format = info(dtype);
  if (std::isinf(x)) return in_range(x, format);
  const double step = distance(x, format), whole = std::floor(x / step), rest = x / step - whole;
  const bool up = rest > 0.5 || (rest == 0.5 && std::fmod(whole, 2) != 0);
  return in_range(std::copysign((up ? whole + 1 : whole) * step, x), format);
}

double stored(double x, DType dtype) {
  if (info(dtype).is_float) return rounded(x, dtype);
  if (dtype == DType::boolean) return x != 0;
  const bool is_signed = dtype != DType::u8;
  const double end = std::ldexp(1.0, info(dtype).bits - (is_signed ? 1 : 0));  // one more than the largest
  if (std::isnan(x)) return 0;
  if (x >= end) return info(dtype).bits < 64 ? end - 1 : end;  // no f64 holds the largest i64
  return std::trunc(std::max(x, is_signed ? -end : 0.0));
}

Wide factor(const Wide& x, std::optional<DType> compute) {
  Wide y = x;
  if (compute)
    for (double& v : y.v) v = rounded(v, *compute);
  return y;
}

void cast(Call& c) {
  const CastAttr& a = c.attr<CastAttr>();
  const DTypeInfo& format = info(a.dtype);
  const Draw d = c.draw(a.random, c.out[0].size());
  for (size_t e = 0; e < c.out[0].size(); ++e) {
    double x = c.in[0][e];
    if (a.stochastic && x != 0 && std::isfinite(x)) {
      const uint64_t at = d.first + e;
      const double u = static_cast<double>(philox_block(d.seed, d.stream, d.step, at / 4)[at % 4] >> 8) * 0x1p-24;
      const double step = distance(x, format), lo = std::floor(std::abs(x) / step) * step;
      x = std::copysign(u < (std::abs(x) - lo) / step ? lo + step : lo, x);
    }
    if (a.saturate && format.is_float && std::abs(x) > format.max) x = std::copysign(format.max, x);
    c.out[0][e] = x;
  }
}

}  // namespace hw::ref
