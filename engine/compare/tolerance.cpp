#include "engine/compare/tolerance.h"

#include <algorithm>
#include <cmath>

#include "engine/core/rounding_error.h"

namespace hw {

OpTolerance::OpTolerance(DType stored, DType accumulate, double length, double scale)
    : stored_(stored),
      gathered_(std::max(tolerance(stored == DType::f64 ? DType::f64 : DType::f32).relative,
                         tolerance(accumulate).relative * std::sqrt(std::max(1.0, length)))),
      scale_(scale) {}

OpTolerance::OpTolerance(const Program& p, const Instr& instr, size_t out, DType accumulate, const Tensor& reference,
                         const std::vector<Tensor>& inputs)
    : OpTolerance(reference.dtype(), accumulate, sum_length(p, instr, out),
                  scale_of(p, instr, out, reference, inputs)) {
  exact_ = gives_exact_numbers(instr);
}

double OpTolerance::gathered(double size) const {
  return gathered_ * std::max(size, scale_);
}

double OpTolerance::allowed(double reference) const {
  if (exact_ || !info(stored_).is_float || !std::isfinite(reference)) return 0;
  return ulp_at(reference, stored_) + gathered(std::abs(reference));
}

double OpTolerance::allowed_unrounded(double exact) const {
  if (!info(stored_).is_float || !std::isfinite(exact)) return 0;
  return ulp_at(exact, stored_) / 2 + (exact_ ? 0 : gathered(std::abs(exact)));
}

}  // namespace hw
