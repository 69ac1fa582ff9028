// Scalar bodies of the optimisers for T = float or double; the formulas stand at UpdateAttr (engine/program/program.h).
#pragma once

#include <cmath>

#include "engine/kernels/body.h"

namespace hw::kernels {

/// What is the same for every element of one step of Adam (Kingma & Ba 2015) or AdamW (Loshchilov & Hutter 2019).
template <class T>
struct AdamStep {
  T gradient_scale;  // unscale and clipping
  T beta1, beta2, one_minus_beta1, one_minus_beta2;
  T rate;           // learning rate ÷ (1 − beta1^t)
  T second_unbias;  // 1 ÷ (1 − beta2^t)
  T epsilon;
  T decay;  // weight decay added to the gradient; 0 when decoupled
  T keep;   // 1 − learning rate · weight decay when decoupled, else 1
};

template <class T>
HW_BODY void adam(const AdamStep<T>& s, T grad, T& master, T& m, T& v) {
  const T g = grad * s.gradient_scale + s.decay * master;
  m = s.beta1 * m + s.one_minus_beta1 * g;
  v = s.beta2 * v + s.one_minus_beta2 * (g * g);
  master = master * s.keep - (s.rate * m) / (std::sqrt(v * s.second_unbias) + s.epsilon);
}

/// Up to where the master (and its view) and the moments are finite as stored: finite_limit.
template <class T>
struct UpdateLimits {
  T master, first, second;
  HW_BODY bool exceeded(T p, T m, T v) const {
    return !(std::fabs(p) <= master) | !(std::fabs(m) <= first) | !(std::fabs(v) <= second);
  }
  HW_BODY bool exceeded(T p, T m) const { return !(std::fabs(p) <= master) | !(std::fabs(m) <= first); }
};

/// The same for SGD with momentum (beta 0: plain).
template <class T>
struct SgdStep {
  T gradient_scale, beta, rate, decay, keep;
};

template <class T>
HW_BODY void sgd(const SgdStep<T>& s, T grad, T& master, T& momentum) {
  const T g = grad * s.gradient_scale + s.decay * master;
  momentum = s.beta * momentum + g;
  master = master * s.keep - s.rate * momentum;
}

}  // namespace hw::kernels
