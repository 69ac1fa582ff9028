// How far a tensor is from what it should be, in the units of its own dtype.
#pragma once

#include "engine/core/tensor.h"

namespace hw {

/// The distance of neighbouring numbers of `dtype` at |x|: 2^(e − mantissa bits) with 2^e ≤ |x|, e at least the
/// exponent of the smallest normal and at most that of the largest number. 1 for whole numbers and bool.
double ulp_at(double x, DType dtype);
/// Bits of a significand of `dtype`, the implicit one included: f32 24, f16 11. Whole numbers: 53, as f64.
int significand_bits(DType dtype);

/// One element. Equal, both NaN: 0. One of them not finite, or infinities that differ: Inf.
struct ElementError {
  double ulps = 0;
  double relative = 0;  // |value − reference| / |reference|; Inf where the reference is 0 and the value is not
};
ElementError error_of(double value, double reference, DType dtype);

/// Over all elements.
struct RoundingError {
  double max_ulps = 0, mean_ulps = 0;  // of elements where both are finite; Inf when none is
  double relative = 0;                 // ‖value − reference‖₂ / ‖reference‖₂ of those
  double max_relative = 0;             // over elements of those
  /// −log2(relative), from 0 to significand_bits; 0 where an element is not finite and the other differs, or none is
  /// finite.
  double bits_left = 0;
  int64_t not_finite = 0;          // elements where one is not finite and the other differs
  int64_t not_finite_on_both = 0;  // elements where both are the same infinity, or NaN

  bool has_not_finite() const { return not_finite > 0 || not_finite_on_both > 0; }
};
/// `value` is stored in its dtype; `reference` has its sizes, f64 where `value` is a float. ULPs are those of `dtype`.
RoundingError compare(const Tensor& value, const Tensor& reference, DType dtype);
/// The `count` elements with most ULPs, worst first; those that agree are left out.
std::vector<int64_t> worst_elements(const Tensor& value, const Tensor& reference, DType dtype, size_t count);

}  // namespace hw
