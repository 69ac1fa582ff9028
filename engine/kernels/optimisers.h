// Scalar bodies of the updates of optimisers.def for T = float or double. A body holds what is the same for every
// element of a step; `of` makes it in f64, and a call moves the master p and its moments by a gradient. What all share
// stands at UpdateAttr (engine/program/program.h). Sources: PyTorch's torch.optim, whose defaults and places of epsilon
// these have.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "engine/kernels/body.h"

namespace hw::kernels {

/// What the body of a step is made from.
struct UpdateSettings {
  double gradient_scale;  // unscale and clipping
  double rate, weight_decay;
  bool decoupled, nesterov;
  double beta1, beta2, epsilon;
  double t;  // the number of this update, from 1; infinite: without bias corrections
};

/// What all bodies have.
template <class T>
struct UpdateStep {
  T gradient_scale, rate;
  T decay;  // weight decay added to the gradient; 0 when decoupled
  T keep;   // 1 − learning rate · weight decay when decoupled, else 1
  HW_BODY static UpdateStep of(const UpdateSettings& s, double rate) {
    return {T(s.gradient_scale), T(rate), T(s.decoupled ? 0 : s.weight_decay),
            T(s.decoupled ? 1 - s.rate * s.weight_decay : 1)};
  }
  HW_BODY T gradient(T grad, T p) const { return grad * gradient_scale + decay * p; }
};

/// SGD with momentum (beta1 0: plain): m = beta1 · m + g; p −= lr · m, Nesterov's lr · (g + beta1 · m).
template <class T>
struct Sgd : UpdateStep<T> {
  T beta, ahead, along;
  HW_BODY static Sgd of(const UpdateSettings& s) {
    return {UpdateStep<T>::of(s, s.rate), T(s.beta1), T(s.nesterov ? 1 : 0), T(s.nesterov ? s.beta1 : 1)};
  }
  HW_BODY void operator()(T grad, T& p, T& m) const {
    const T g = this->gradient(grad, p);
    m = beta * m + g;
    p = p * this->keep - this->rate * (ahead * g + along * m);
  }
};

/// Means of the gradient and of its square, which those of Adam's kind keep.
template <class T>
struct MomentStep : UpdateStep<T> {
  T beta1, beta2, one_minus_beta1, one_minus_beta2;
  T epsilon;
  HW_BODY static MomentStep of(const UpdateSettings& s, double rate) {
    return {UpdateStep<T>::of(s, rate), T(s.beta1), T(s.beta2), T(1 - s.beta1), T(1 - s.beta2), T(s.epsilon)};
  }
  HW_BODY void follow(T g, T& m, T& v) const {
    m = beta1 * m + one_minus_beta1 * g;
    v = beta2 * v + one_minus_beta2 * (g * g);
  }
};

/// Adam (Kingma & Ba 2015), decoupled AdamW (Loshchilov & Hutter 2019): p −= lr · (m / (1 − beta1^t)) / (√(v / (1 −
/// beta2^t)) + epsilon).
template <class T>
struct Adam : MomentStep<T> {
  T second_correction;  // 1 ÷ (1 − beta2^t); `rate` has the first
  HW_BODY static Adam of(const UpdateSettings& s) {
    return {MomentStep<T>::of(s, s.rate / (1 - std::pow(s.beta1, s.t))), T(1 / (1 - std::pow(s.beta2, s.t)))};
  }
  HW_BODY void operator()(T grad, T& p, T& m, T& v) const { move(grad, this->rate, second_correction, p, m, v); }
  HW_BODY void move(T grad, T lr, T correction, T& p, T& m, T& v) const {
    this->follow(this->gradient(grad, p), m, v);
    p = p * this->keep - (lr * m) / (std::sqrt(v * correction) + this->epsilon);
  }
};

/// NAdam (Dozat 2016), as PyTorch has it: μ(t) = beta1 · (1 − 0.96^(0.004 t) / 2); p −= lr · (g · (1 − μ(t)) / (1 − Π
/// μ) + m · μ(t + 1) / (1 − μ(t + 1) Π μ)) / (√(v / (1 − beta2^t)) + epsilon), Π μ from 1 to t.
template <class T>
struct NAdam : MomentStep<T> {
  T second_correction, of_gradient, of_moment;
  HW_BODY static double momentum(const UpdateSettings& s, double t) {
    return s.beta1 * (1 - 0.5 * std::pow(0.96, 0.004 * t));
  }
  /// At most so many turns of the loop in `of`: until the product is below 1e-18.
  static int64_t turns(double beta1) {
    const double shrinks = 1 - beta1 > 1e-9 ? 1 - beta1 : 1e-9;
    return static_cast<int64_t>(42 / shrinks);
  }
  HW_BODY static NAdam of(const UpdateSettings& s) {
    const double ratio = std::pow(0.96, 0.004);
    double product = 1, power = 1;
    for (double t = 1; t <= s.t && product > 1e-18; ++t) {  // below, 1 − product is 1 in f64
      power *= ratio;
      product *= s.beta1 * (1 - 0.5 * power);
    }
    const double now = momentum(s, s.t), next = momentum(s, s.t + 1);
    return {MomentStep<T>::of(s, s.rate), T(1 / (1 - std::pow(s.beta2, s.t))), T((1 - now) / (1 - product)),
            T(next / (1 - product * next))};
  }
  HW_BODY void operator()(T grad, T& p, T& m, T& v) const {
    const T g = this->gradient(grad, p);
    this->follow(g, m, v);
    p = p * this->keep -
        this->rate * (of_gradient * g + of_moment * m) / (std::sqrt(v * second_correction) + this->epsilon);
  }
};

/// RAdam (Liu et al. 2020): Adam, times √((ρ − 4)(ρ − 2) ρ∞ / ((ρ∞ − 4)(ρ∞ − 2) ρ)) with ρ∞ = 2 / (1 − beta2) − 1, ρ =
/// ρ∞ − 2 t beta2^t / (1 − beta2^t); while ρ ≤ 5, p −= lr · m / (1 − beta1^t).
template <class T>
struct RAdam : MomentStep<T> {
  T root_correction;  // √(1 − beta2^t)
  bool adapts;
  HW_BODY static RAdam of(const UpdateSettings& s) {
    const double power = std::pow(s.beta2, s.t), longest = 2 / (1 - s.beta2) - 1;
    const double length = longest - (power > 0 ? 2 * s.t * power / (1 - power) : 0);  // t may be infinite
    const bool adapts = length > 5;
    const double rectified =
        adapts ? std::sqrt((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)) : 1;
    return {MomentStep<T>::of(s, s.rate * rectified / (1 - std::pow(s.beta1, s.t))), T(std::sqrt(1 - power)), adapts};
  }
  HW_BODY void operator()(T grad, T& p, T& m, T& v) const {
    this->follow(this->gradient(grad, p), m, v);
    const T along = adapts ? root_correction / (std::sqrt(v) + this->epsilon) : T(1);
    p = p * this->keep - this->rate * m * along;
  }
};

/// Lion (Chen et al. 2023): p −= lr · sign(beta1 · m + (1 − beta1) · g); m = beta2 · m + (1 − beta2) · g.
template <class T>
struct Lion : UpdateStep<T> {
  T beta1, beta2, one_minus_beta1, one_minus_beta2;
  HW_BODY static Lion of(const UpdateSettings& s) {
    return {UpdateStep<T>::of(s, s.rate), T(s.beta1), T(s.beta2), T(1 - s.beta1), T(1 - s.beta2)};
  }
  HW_BODY void operator()(T grad, T& p, T& m) const {
    const T g = this->gradient(grad, p), along = beta1 * m + one_minus_beta1 * g;
    const T sign = along > T(0) ? T(1) : along < T(0) ? T(-1) : along;  // that of NaN is NaN
    m = beta2 * m + one_minus_beta2 * g;
    p = p * this->keep - this->rate * sign;
  }
};

/// Adam's bias corrections after t updates: 1 ÷ (1 − beta1^t), 1 ÷ (1 − beta2^t).
template <class T>
struct BiasCorrection {
  T first, second;
};

/// Where elements count their own updates: of a step without bias corrections, `corrections[t]` for t up to `last`, and
/// for more as for `last`. Entry 0 is not used.
template <class T>
struct CountedAdam {
  Adam<T> step;
  const BiasCorrection<T>* corrections;
  uint32_t last;
};

inline constexpr uint32_t kMostUpdates = 65535;  // where an element's count of them stays

template <class T>
HW_BODY void counted_adam(const CountedAdam<T>& s, T grad, T& p, T& m, T& v, uint16_t& updates) {
  const uint32_t t = updates < kMostUpdates ? updates + 1u : kMostUpdates;
  const BiasCorrection<T> correction = s.corrections[t < s.last ? t : s.last];
  s.step.move(grad, s.step.rate * correction.first, correction.second, p, m, v);
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

/// Whether a body keeps two moments; one otherwise.
template <class Body, class T>
inline constexpr bool kHasSecondMoment = requires(const Body& body, T& x) {
  body(x, x, x, x);
};

}  // namespace hw::kernels
