// sin and cos of multiples of π for T = float or double: the argument is reduced exactly, so that high frequencies keep
// full precision. No contraction: the bits are the same on every device (f64: as good as the platform's sin and cos).
#pragma once

#include <cmath>

#include "engine/kernels/body.h"

namespace hw::kernels {

/// sin x and cos x for |x| ≤ π/4, within 2 ulp. Polynomials as in Cephes' sinf and cosf (S. Moshier).
HW_BODY void sin_cos_small(float x, float& sine, float& cosine) {
  const float z = x * x;
  float s = -1.9515295891e-4f;
  s = s * z + 8.3321608736e-3f;
  s = s * z + -1.6666654611e-1f;
  sine = s * z * x + x;
  float c = 2.443315711809948e-5f;
  c = c * z + -1.388731625493765e-3f;
  c = c * z + 4.166664568298827e-2f;
  cosine = c * z * z - 0.5f * z + 1.0f;
}

HW_BODY void sin_cos_small(double x, double& sine, double& cosine) {
  sine = std::sin(x);
  cosine = std::cos(x);
}

/// sin(π x) and cos(π x). x must be finite; NaN else.
template <class T>
HW_BODY void sin_cos_pi(T x, T& sine, T& cosine) {
  const T quarters = T(2) * x;
  const T n = std::floor(quarters + T(0.5));
  T s, c;
  sin_cos_small((quarters - n) * T(1.57079632679489661923), s, c);
  const T q = n - T(4) * std::floor(n * T(0.25));  // 0, 1, 2, 3: the quarter turn
  const bool odd = (q == T(1)) | (q == T(3));
  const T a = odd ? c : s, b = odd ? s : c;
  sine = q >= T(2) ? -a : a;
  cosine = (q == T(1)) | (q == T(2)) ? -b : b;
}

}  // namespace hw::kernels
