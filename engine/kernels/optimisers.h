// Scalar bodies of the optimisers for T = float or double; the formulas stand at UpdateAttr (engine/program/program.h).
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "engine/kernels/body.h"

namespace hw::kernels {

/// What is the same for every element of one step of Adam (Kingma & Ba 2015) or AdamW (Loshchilov & Hutter 2019).
template <class T>
struct AdamStep {
  T gradient_scale;  // unscale and clipping
  T beta1, beta2, one_minus_beta1, one_minus_beta2;
  T rate;               // learning rate ÷ (1 − beta1^t)
  T second_correction;  // 1 ÷ (1 − beta2^t)
  T epsilon;
  T decay;  // weight decay added to the gradient; 0 when decoupled
  T keep;   // 1 − learning rate · weight decay when decoupled, else 1
};

template <class T>
HW_BODY void adam(const AdamStep<T>& s, T rate, T second_correction, T grad, T& master, T& m, T& v) {
  const T g = grad * s.gradient_scale + s.decay * master;
  m = s.beta1 * m + s.one_minus_beta1 * g;
  v = s.beta2 * v + s.one_minus_beta2 * (g * g);
  master = master * s.keep - (rate * m) / (std::sqrt(v * second_correction) + s.epsilon);
}

template <class T>
HW_BODY void adam(const AdamStep<T>& s, T grad, T& master, T& m, T& v) {
  adam(s, s.rate, s.second_correction, grad, master, m, v);
}

/// Adam's bias corrections after t updates: 1 ÷ (1 − beta1^t), 1 ÷ (1 − beta2^t).
template <class T>
struct BiasCorrection {
  T first, second;
};

/// Where elements count their own updates: of a step without bias corrections (rate: the learning rate),
/// `corrections[t]` for t up to `last`, and for more as for `last`. Entry 0 is not used.
template <class T>
struct CountedAdam {
  AdamStep<T> step;
  const BiasCorrection<T>* corrections;
  uint32_t last;
};

inline constexpr uint32_t kMostUpdates = 65535;  // where an element's count of them stays

template <class T>
HW_BODY void counted_adam(const CountedAdam<T>& s, T grad, T& master, T& m, T& v, uint16_t& updates) {
  const uint32_t t = updates < kMostUpdates ? updates + 1u : kMostUpdates;
  const BiasCorrection<T> correction = s.corrections[t < s.last ? t : s.last];
  adam(s.step, s.step.rate * correction.first, correction.second, grad, master, m, v);
  updates = static_cast<uint16_t>(t);
}

/// CountedAdam::corrections, up to where both corrections are 1 in T, or to the largest count.
template <class T>
std::vector<BiasCorrection<T>> bias_correction_table(double beta1, double beta2) {
  std::vector<BiasCorrection<T>> table(1, {T(1), T(1)});
  do {
    const auto t = static_cast<double>(table.size());
    table.push_back({T(1 / (1 - std::pow(beta1, t))), T(1 / (1 - std::pow(beta2, t)))});
  } while (table.size() <= kMostUpdates && (table.back().first != T(1) || table.back().second != T(1)));
  return table;
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

/// The same for SGD with momentum (beta 0: plain). The step is ahead · gradient + along · momentum: 0 and 1; Nesterov's
/// 1 and beta.
template <class T>
struct SgdStep {
  T gradient_scale, beta, rate, decay, keep, ahead, along;
};

template <class T>
HW_BODY void sgd(const SgdStep<T>& s, T grad, T& master, T& momentum) {
  const T g = grad * s.gradient_scale + s.decay * master;
  momentum = s.beta * momentum + g;
  master = master * s.keep - s.rate * (s.ahead * g + s.along * momentum);
}

}  // namespace hw::kernels
