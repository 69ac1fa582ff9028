// In place: optimisers, the loss scale, running sums. What is the same for every element is worked out on the device
// first, so that a step reads nothing back.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include "engine/backend/gpu/ops/map.h"
#include "engine/core/finite_limit.h"
#include "engine/kernels/loss_scale_state.h"
#include "engine/kernels/optimisers.h"
#include "engine/program/updates.h"

namespace hw::gpu {

using kernels::Source;
using kernels::Target;

/// "Adam_f32" of kernels::Adam<float>.
template <class Body>
struct BodyName;
#define HW_UPDATE(name, Body, ...)                               \
  template <class T>                                             \
  struct BodyName<kernels::Body<T>> {                            \
    static std::string text() { return #Body + suffix_of<T>(); } \
  };
#include "engine/program/optimisers.def"

template <class Body>
struct UpdateFactors {
  bool skip = false;  // a bad step
  Body body{};
};

/// One item: the factors of a step.
template <class Body>
struct MakeUpdateFactors {
  UpdateAttr attr;
  bool per_element;  // elements count their own updates
  const StepData* step;
  Source norm;               // data null: no clipping
  const double* loss_scale;  // null: none
  int64_t loss_scale_size;
  double* count;  // null: none
  UpdateFactors<Body>* made;
  HW_BODY void operator()(int64_t) const {
    if (count) *count = 0;
    double loss_unscale = 1, t = step->update + 1;
    if (loss_scale) {
      loss_unscale = 1 / loss_scale[loss_scale_state::kScale];
      t = loss_scale[loss_scale_state::kUpdates] + 1;
    }
    t -= attr.begun;
    double scale = attr.unscale * loss_unscale;
    if (norm.data) {
      const double share = attr.clip_norm / (norm.at<double>(0) * loss_unscale + 1e-6);
      scale *= share < 1 ? share : 1.0;
    }
    made->skip = loss_scale && loss_scale_state::is_bad_step(loss_scale, loss_scale_size);
    made->body =
        Body::of({scale, step->learning_rate * attr.rate_scale, attr.weight_decay, attr.decoupled, attr.nesterov,
                  attr.beta1, attr.beta2, attr.epsilon, per_element ? std::numeric_limits<double>::infinity() : t});
  }

  static std::string kernel() { return "MakeUpdateFactors_" + BodyName<Body>::text(); }
  Constants constants() const { return constants_of(norm.dtype); }
  int64_t turns() const {
    if constexpr (requires { Body::turns(attr.beta1); })
      return Body::turns(attr.beta1);
    else
      return 0;
  }
};

/// Whole numbers, so that their order does not matter.
HW_BODY void count_one(double* count) {
#ifdef __CUDA_ARCH__
  atomicAdd(count, 1.0);
#else
  *count += 1;
#endif
}

/// Where the touched mask is 0 nothing is read or written.
template <class T, class Body>
struct UpdateElements {
  const UpdateFactors<Body>* factors;
  kernels::UpdateLimits<T> limits;
  double* count;              // of what exceeds them; null: not asked for
  Target view, master, m, v;  // v: of two moments; view.data null: it is the master
  Source grad;
  const uint8_t* touched;  // null: all are
  uint16_t* updates;       // of each element; null: they are not counted
  const kernels::BiasCorrection<T>* corrections;
  uint32_t longest;  // the last of them
  HW_BODY void operator()(int64_t i) const {
    if (factors->skip || (touched && !touched[i / 16])) return;
    const T g = grad.at<T>(i);
    if (touched && g == T(0)) return;
    T p = master.source().at<T>(i), moment = m.source().at<T>(i), second = 0;
    if constexpr (kernels::kHasSecondMoment<Body, T>) {
      second = v.source().at<T>(i);
      move(i, g, p, moment, second);
      v.put(i, second);
    } else {
      factors->body(g, p, moment);
    }
    m.put(i, moment);
    master.put(i, p);
    if (view.data) view.put(i, master.source().at<T>(i));
    if (count && limits.exceeded(p, moment, second)) count_one(count);
  }
  HW_BODY void move(int64_t i, T g, T& p, T& moment, T& second) const {
    if constexpr (std::is_same_v<Body, kernels::Adam<T>>) {
      if (updates)
        return kernels::counted_adam(kernels::CountedAdam<T>{factors->body, corrections, longest}, g, p, moment, second,
                                     updates[i]);
    }
    factors->body(g, p, moment, second);
  }

  static std::string kernel() { return "UpdateElements_" + BodyName<Body>::text(); }
  Constants constants() const { return constants_of(view.dtype, master.dtype, m.dtype, v.dtype, grad.dtype); }
};

template <class Launcher, class T, class Body>
void plan_update_by(OpContext& c) {
  const UpdateAttr& a = c.attr<UpdateAttr>();
  const UpdateInputs in = update_inputs(c.op(), a, c.inputs());
  const size_t grad = in.grad, norm = in.norm, last = in.loss_scale;
  const bool two = in.moments == 2;
  auto* factors = c.scratch<UpdateFactors<Body>>(1);
  auto* count = in.counted ? static_cast<double*>(c.change(in.count()).data) : nullptr;
  const kernels::UpdateLimits<T> limits{std::min(finite_limit<T>(c.in(0).dtype), finite_limit<T>(c.in(1).dtype)),
                                        finite_limit<T>(c.in(2).dtype), two ? finite_limit<T>(c.in(3).dtype) : T(0)};
  map<Launcher>(c, 1,
                MakeUpdateFactors<Body>{a, in.per_element, c.step(), a.clip_norm > 0 ? c.read(norm) : Source{},
                                        a.guarded ? static_cast<const double*>(c.read(last).data) : nullptr,
                                        a.guarded ? c.in_size(last) : 0, count, factors});
  const auto* touched = a.has_touched ? static_cast<const uint8_t*>(c.read(grad + 1).data) : nullptr;
  uint16_t* updates = nullptr;
  std::vector<kernels::BiasCorrection<T>> table(1);
  const kernels::BiasCorrection<T>* corrections = nullptr;
  if (in.per_element) {
    updates = static_cast<uint16_t*>(c.change(in.updates()).data);
    table = kernels::bias_correction_table<T>(a.beta1, a.beta2);
    corrections = c.constant(table);
  }
  map<Launcher>(c, c.in_size(0),
                UpdateElements<T, Body>{factors, limits, count, c.same_value(0, 1) ? Target{} : c.change(0),
                                        c.change(1), c.change(2), two ? c.change(3) : Target{}, c.read(grad), touched,
                                        updates, corrections, static_cast<uint32_t>(table.size() - 1)});
}

template <class Launcher>
void plan_update(OpContext& c) {
  c.info.compute = c.info.accumulate = c.in(1).dtype == DType::f64 ? DType::f64 : DType::f32;
  with_real(c.info.compute, [&](auto real) {
    using T = decltype(real);
#define HW_UPDATE(name, Body, ...) \
  if (c.op() == Op::name##_update) return plan_update_by<Launcher, T, kernels::Body<T>>(c);
#include "engine/program/optimisers.def"
  });
}

/// One item; see LossScaleAttr.
struct LossScaleStep {
  LossScaleAttr attr;
  double* state;
  int64_t size;
  HW_BODY void operator()(int64_t) const { loss_scale_state::advance(state, size, attr); }

  HW_KERNEL(LossScaleStep)
};

template <class Launcher>
void plan_loss_scale(OpContext& c) {
  map<Launcher>(c, 1, LossScaleStep{c.attr<LossScaleAttr>(), static_cast<double*>(c.change(0).data), c.in_size(0)});
  c.info = {DType::f64, DType::f64, DType::f64, ""};
}

struct MaskSum {
  const StepData* step;
  uint8_t* sum;
  const uint8_t* x;
  HW_BODY void operator()(int64_t i) const { sum[i] = x[i] != 0 || (!step->starts_sums && sum[i] != 0) ? 1 : 0; }

  HW_KERNEL(MaskSum)
};

template <class T>
struct RunningSum {
  const StepData* step;
  Target sum;
  Source x;
  HW_BODY void operator()(int64_t i) const {
    const T added = x.at<T>(i);
    sum.put(i, step->starts_sums ? added : sum.source().at<T>(i) + added);
  }

  HW_REAL_KERNEL(T, RunningSum, sum.dtype, x.dtype)
};

template <class T>
struct RunningAverage {
  const StepData* step;
  Target average;
  Source x;
  double factor;
  const double* loss_scale;  // null: none
  int64_t loss_scale_size;
  HW_BODY void operator()(int64_t i) const {
    if (loss_scale && loss_scale_state::is_bad_step(loss_scale, loss_scale_size)) return;
    const double t = loss_scale ? loss_scale[loss_scale_state::kUpdates] : step->update, warm = (1 + t) / (10 + t);
    const double keep = warm < factor ? warm : factor;
    average.put(i, T(keep) * average.source().at<T>(i) + T(1 - keep) * x.at<T>(i));
  }

  HW_REAL_KERNEL(T, RunningAverage, average.dtype, x.dtype)
};

template <class Launcher>
void plan_running(OpContext& c) {
  const int64_t size = c.in_size(0);
  if (c.in(0).dtype == DType::u8)
    return map<Launcher>(
        c, size,
        MaskSum{c.step(), static_cast<uint8_t*>(c.change(0).data), static_cast<const uint8_t*>(c.read(1).data)});
  c.info.compute = c.in(0).dtype == DType::f64 || c.in(1).dtype == DType::f64 ? DType::f64 : DType::f32;
  c.info.accumulate = c.info.compute;
  with_real(c.info.compute, [&](auto real) {
    using T = decltype(real);
    if (c.op() == Op::accumulate) return map<Launcher>(c, size, RunningSum<T>{c.step(), c.change(0), c.read(1)});
    const bool guarded = c.inputs() == 3;
    map<Launcher>(
        c, size,
        RunningAverage<T>{c.step(), c.change(0), c.read(1), c.attr<ScaleAttr>().factor,
                          guarded ? static_cast<const double*>(c.read(2).data) : nullptr, guarded ? c.in_size(2) : 0});
  });
}

/// One channel.
template <class T>
struct MomentsUpdate {
  T keep, rate, variance_rate;
  Target mean, variance;
  Source moments;
  int64_t channels;
  HW_BODY void operator()(int64_t k) const {
    mean.put(k, keep * mean.source().at<T>(k) + rate * moments.at<T>(k));
    variance.put(k, keep * variance.source().at<T>(k) + variance_rate * moments.at<T>(channels + k));
  }

  HW_REAL_KERNEL(T, MomentsUpdate, mean.dtype, variance.dtype, moments.dtype)
};

template <class Launcher>
void plan_moments_update(OpContext& c) {
  const MomentsAttr& a = c.attr<MomentsAttr>();
  with_real(c.compute(), [&](auto real) {
    using T = decltype(real);
    map<Launcher>(c, c.in_size(0),
                  MomentsUpdate<T>{T(1 - a.rate), T(a.rate), T(a.rate * a.variance_factor), c.change(0), c.change(1),
                                   c.read(2), c.in_size(0)});
  });
}

}  // namespace hw::gpu

/// The planners above, compiled for a launcher.
#define HW_UPDATES_PLANNERS(Launcher)                  \
  template void plan_update<Launcher>(OpContext&);     \
  template void plan_loss_scale<Launcher>(OpContext&); \
  template void plan_running<Launcher>(OpContext&);    \
  template void plan_moments_update<Launcher>(OpContext&);
