// In place: the loss scale, running sums and averages: engine/backend/gpu/ops/updates.h.
//! include loss_scale.glsl

//! kernel LossScaleStep
struct Functor {
  uint8_t dynamic;
  uint8_t pad[7];
  double growth, backoff;
  int64_t interval;
  uint64_t state;
  int64_t size;
};
//! functor
// loss_scale_state::advance
void item(int64_t i) {
  const uint64_t state = f.state;
  const bool bad = is_bad_step(state, f.size);
  if (!bad) F64(state, kUpdates) += 1.0lf;
  if (f.dynamic == uint8_t(0)) return;
  if (bad) {
    const double less = F64(state, kScale) * f.backoff;
    F64(state, kScale) = less > 1.0lf ? less : 1.0lf;
    F64(state, kClean) = 0.0lf;
    return;
  }
  F64(state, kClean) += 1.0lf;
  if (F64(state, kClean) < double(f.interval)) return;
  F64(state, kClean) = 0.0lf;
  const double more = F64(state, kScale) * f.growth;
  if (more <= 3.40282346638528859812e38lf) F64(state, kScale) = more;  // the largest f32
}

//! kernel MaskSum
struct Functor {
  uint64_t step, sum, x;
};
//! functor
void item(int64_t i) {
  const bool kept = Step(f.step).starts_sums == 0 && U8(f.sum, i) != uint8_t(0);
  U8(f.sum, i) = uint8_t(U8(f.x, i) != uint8_t(0) || kept ? 1 : 0);
}

//! kernel RunningSum
//! real
layout(constant_id = 0) const int SUM = 1;
layout(constant_id = 1) const int X = 1;
struct Functor {
  uint64_t step;
  Memory sum, x;
};
//! functor
void item(int64_t i) {
  const REAL added = load(X, f.x.data, i);
  if (Step(f.step).starts_sums != 0)
    store(SUM, f.sum.data, i, added);
  else
    store(SUM, f.sum.data, i, load(SUM, f.sum.data, i) + added);
}

//! kernel RunningAverage
//! real
layout(constant_id = 0) const int AVERAGE = 1;
layout(constant_id = 1) const int X = 1;
struct Functor {
  uint64_t step;
  Memory average, x;
  double factor;
  uint64_t loss_scale;
  int64_t loss_scale_size;
};
//! functor
void item(int64_t i) {
  const bool scaled_loss = f.loss_scale != 0ul;
  if (scaled_loss && is_bad_step(f.loss_scale, f.loss_scale_size)) return;
  double t = Step(f.step).update;
  if (scaled_loss) t = F64(f.loss_scale, kUpdates);
  const double warm = (1.0lf + t) / (10.0lf + t);
  const double keep = warm < f.factor ? warm : f.factor;
  store(AVERAGE, f.average.data, i,
        REAL(keep) * load(AVERAGE, f.average.data, i) + REAL(1.0lf - keep) * load(X, f.x.data, i));
}

//! kernel MomentsUpdate
//! real
layout(constant_id = 0) const int MEAN = 1;
layout(constant_id = 1) const int VARIANCE = 1;
layout(constant_id = 2) const int MOMENTS = 1;
struct Functor {
  REAL keep, rate, variance_rate;
#ifndef REAL_IS_F64
  float pad;
#endif
  Memory mean, variance, moments;
  int64_t channels;
};
//! functor
void item(int64_t k) {
  store(MEAN, f.mean.data, k, f.keep * load(MEAN, f.mean.data, k) + f.rate * load(MOMENTS, f.moments.data, k));
  store(VARIANCE, f.variance.data, k,
        f.keep * load(VARIANCE, f.variance.data, k) +
            f.variance_rate * load(MOMENTS, f.moments.data, f.channels + k));
}
