// Optimisers: engine/backend/gpu/ops/updates.h; engine/kernels/optimisers.h. A body of optimisers.def has two kinds of
// kernel: MakeUpdateFactors_<Body>_f32 and _f64, in f64, which write factors as REAL, and UpdateElements_<Body>.

//! include loss_scale.glsl

// Members of gpu::UpdateFactors<Body>: those of the body's bases come first.
#define STEP_FACTORS \
  uint8_t skip;      \
  REAL gradient_scale, rate, decay, keep;
#define MOMENT_FACTORS \
  STEP_FACTORS         \
  REAL beta1, beta2, one_minus_beta1, one_minus_beta2, epsilon;
#define SGD_FACTORS STEP_FACTORS REAL beta, ahead, along;
#define ADAM_FACTORS MOMENT_FACTORS REAL second_correction;
#define NADAM_FACTORS MOMENT_FACTORS REAL second_correction, of_gradient, of_moment;
#define RADAM_FACTORS   \
  MOMENT_FACTORS        \
  REAL root_correction; \
  uint8_t adapts;
#define LION_FACTORS STEP_FACTORS REAL beta1, beta2, one_minus_beta1, one_minus_beta2;
#define FACTORS layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Factors

// ---- the factors of a step

struct UpdateAttr {
  double beta1, beta2, epsilon;
  uint8_t nesterov;
  uint8_t pad0[7];
  double rate_scale, weight_decay;
  uint8_t decoupled;
  uint8_t pad1[7];
  double unscale, clip_norm;
  uint8_t has_touched, guarded;
  uint8_t pad2[6];
  double begun;
};

#define MAKE_UPDATE_FACTORS \
  UpdateAttr attr;          \
  uint8_t per_element;      \
  uint8_t pad[7];           \
  uint64_t step;            \
  Memory norm;              \
  uint64_t loss_scale;      \
  int64_t loss_scale_size;  \
  uint64_t count, made;

/// The functor of each MakeUpdateFactors_*.
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer MakeUpdateFactors { MAKE_UPDATE_FACTORS };

/// kernels::UpdateSettings, and UpdateFactors::skip.
struct UpdateSettings {
  bool skip;
  double gradient_scale, rate, weight_decay;
  bool decoupled, nesterov;
  double beta1, beta2, epsilon, t;
};

UpdateSettings update_settings(int norm_dtype) {
  MakeUpdateFactors make = MakeUpdateFactors(push.functor);
  if (make.count != 0ul) F64(make.count, 0) = 0.0lf;
  const bool scaled_loss = make.loss_scale != 0ul;
  double loss_unscale = 1.0lf, t = Step(make.step).update + 1.0lf;
  if (scaled_loss) {
    loss_unscale = 1.0lf / F64(make.loss_scale, kScale);
    t = F64(make.loss_scale, kUpdates) + 1.0lf;
  }
  t -= make.attr.begun;
  double scale = make.attr.unscale * loss_unscale;
  if (make.norm.data != 0ul) {
    const double share = make.attr.clip_norm / (load64(norm_dtype, make.norm.data, 0l) * loss_unscale + 1e-6lf);
    scale *= share < 1.0lf ? share : 1.0lf;
  }
  UpdateSettings s;
  s.skip = scaled_loss && is_bad_step(make.loss_scale, make.loss_scale_size);
  s.gradient_scale = scale;
  s.rate = Step(make.step).learning_rate * make.attr.rate_scale;
  s.weight_decay = make.attr.weight_decay;
  s.decoupled = make.attr.decoupled != uint8_t(0);
  s.nesterov = make.attr.nesterov != uint8_t(0);
  s.beta1 = make.attr.beta1;
  s.beta2 = make.attr.beta2;
  s.epsilon = make.attr.epsilon;
  s.t = make.per_element != uint8_t(0) ? inf64() : t;
  return s;
}

// UpdateStep::of and MomentStep::of, of Factors `to`.
#define MAKE_STEP(to, s, its_rate)                       \
  to.skip = uint8_t(s.skip ? 1 : 0);                     \
  to.gradient_scale = REAL(s.gradient_scale);            \
  to.rate = REAL(its_rate);                              \
  to.decay = REAL(s.decoupled ? 0.0lf : s.weight_decay); \
  to.keep = REAL(s.decoupled ? 1.0lf - s.rate * s.weight_decay : 1.0lf);
#define MAKE_MOMENT_STEP(to, s, its_rate)     \
  MAKE_STEP(to, s, its_rate)                  \
  to.beta1 = REAL(s.beta1);                   \
  to.beta2 = REAL(s.beta2);                   \
  to.one_minus_beta1 = REAL(1.0lf - s.beta1); \
  to.one_minus_beta2 = REAL(1.0lf - s.beta2); \
  to.epsilon = REAL(s.epsilon);

// Body::of, as an item.
#define MAKE_SGD                                    \
  void item(int64_t i) {                            \
    const UpdateSettings s = update_settings(NORM); \
    Factors to = Factors(f.made);                   \
    MAKE_STEP(to, s, s.rate)                        \
    to.beta = REAL(s.beta1);                        \
    to.ahead = REAL(s.nesterov ? 1 : 0);            \
    to.along = REAL(s.nesterov ? s.beta1 : 1.0lf);  \
  }

#define MAKE_ADAM                                                              \
  void item(int64_t i) {                                                       \
    const UpdateSettings s = update_settings(NORM);                            \
    Factors to = Factors(f.made);                                              \
    const double rate = s.rate / (1.0lf - math_f64_pow(s.beta1, s.t));         \
    MAKE_MOMENT_STEP(to, s, rate)                                              \
    to.second_correction = REAL(1.0lf / (1.0lf - math_f64_pow(s.beta2, s.t))); \
  }

#define MAKE_NADAM                                                                    \
  double momentum(double beta1, double t) {                                           \
    return beta1 * (1.0lf - 0.5lf * math_f64_pow(0.96lf, 0.004lf * t));               \
  }                                                                                   \
  void item(int64_t i) {                                                              \
    const UpdateSettings s = update_settings(NORM);                                   \
    Factors to = Factors(f.made);                                                     \
    const double ratio = math_f64_pow(0.96lf, 0.004lf);                               \
    double product = 1.0lf, power = 1.0lf;                                            \
    for (double t = 1.0lf; t <= s.t && product > 1e-18lf; t += 1.0lf) {               \
      power *= ratio;                                                                 \
      product *= s.beta1 * (1.0lf - 0.5lf * power);                                   \
    }                                                                                 \
    const double now = momentum(s.beta1, s.t), next = momentum(s.beta1, s.t + 1.0lf); \
    MAKE_MOMENT_STEP(to, s, s.rate)                                                   \
    to.second_correction = REAL(1.0lf / (1.0lf - math_f64_pow(s.beta2, s.t)));        \
    to.of_gradient = REAL((1.0lf - now) / (1.0lf - product));                         \
    to.of_moment = REAL(next / (1.0lf - product * next));                             \
  }

#define MAKE_RADAM                                                                                \
  void item(int64_t i) {                                                                          \
    const UpdateSettings s = update_settings(NORM);                                               \
    Factors to = Factors(f.made);                                                                 \
    const double power = math_f64_pow(s.beta2, s.t), longest = 2.0lf / (1.0lf - s.beta2) - 1.0lf; \
    const double less = power > 0.0lf ? 2.0lf * s.t * power / (1.0lf - power) : 0.0lf;            \
    const double length = longest - less;                                                         \
    const bool adapts = length > 5.0lf;                                                           \
    double rectified = 1.0lf;                                                                     \
    if (adapts)                                                                                   \
      rectified = sqrt((length - 4.0lf) * (length - 2.0lf) * longest /                            \
                       ((longest - 4.0lf) * (longest - 2.0lf) * length));                         \
    const double rate = s.rate * rectified / (1.0lf - math_f64_pow(s.beta1, s.t));                \
    MAKE_MOMENT_STEP(to, s, rate)                                                                 \
    to.root_correction = REAL(sqrt(1.0lf - power));                                               \
    to.adapts = uint8_t(adapts ? 1 : 0);                                                          \
  }

#define MAKE_LION                                   \
  void item(int64_t i) {                            \
    const UpdateSettings s = update_settings(NORM); \
    Factors to = Factors(f.made);                   \
    MAKE_STEP(to, s, s.rate)                        \
    to.beta1 = REAL(s.beta1);                       \
    to.beta2 = REAL(s.beta2);                       \
    to.one_minus_beta1 = REAL(1.0lf - s.beta1);     \
    to.one_minus_beta2 = REAL(1.0lf - s.beta2);     \
  }

// ---- elements

/// Whole numbers, so that their order does not matter. One of a subgroup counts for all that are here.
void count_one(uint64_t count) {
  const double more = double(subgroupBallotBitCount(subgroupBallot(true)));
  if (!subgroupElect()) return;
  uint64_t seen = U64(count, 0);
  for (;;) {
    const uint64_t found = atomicCompSwap(U64(count, 0), seen, bits_of(double_of(seen) + more));
    if (found == seen) return;
    seen = found;
  }
}

#ifdef REAL_IS_F64
#define REAL_AT F64
#define UPDATE_LIMITS REAL most_master, most_first, most_second;
#else
#define REAL_AT F32
#define UPDATE_LIMITS REAL most_master, most_first, most_second, pad0;
#endif

#define UPDATE_CONSTANTS                        \
  layout(constant_id = 0) const int VIEW = 1;   \
  layout(constant_id = 1) const int MASTER = 1; \
  layout(constant_id = 2) const int M = 1;      \
  layout(constant_id = 3) const int V = 1;      \
  layout(constant_id = 4) const int GRAD = 1;

#define UPDATE_ELEMENTS                   \
  uint64_t factors;                       \
  UPDATE_LIMITS                           \
  uint64_t count;                         \
  Memory view, master, m, v;              \
  Memory grad;                            \
  uint64_t touched, updates, corrections; \
  uint longest, pad1;

// UpdateLimits::exceeded; NaN is.
#define EXCEEDED(x, most) (is_nan(x) || abs(x) > most)

// UpdateStep::gradient, MomentStep::follow.
#define GRADIENT(by, grad, p) ((grad) * by.gradient_scale + by.decay * (p))
#define FOLLOW(by, g, m, v)                  \
  m = by.beta1 * m + by.one_minus_beta1 * g; \
  v = by.beta2 * v + by.one_minus_beta2 * (g * g);

// UpdateElements with the body `void move(int64_t i, Factors by, REAL grad, inout REAL p, inout REAL m, inout REAL v)`.
#define UPDATE_ITEM(has_second)                                                               \
  void item(int64_t i) {                                                                      \
    Factors by = Factors(f.factors);                                                          \
    if (by.skip != uint8_t(0)) return;                                                        \
    const bool masked = f.touched != 0ul;                                                     \
    if (masked && U8(f.touched, i / 16l) == uint8_t(0)) return;                               \
    const REAL g = load(GRAD, f.grad.data, i);                                                \
    if (masked && g == REAL(0)) return;                                                       \
    REAL p = load(MASTER, f.master.data, i), moment = load(M, f.m.data, i), second = REAL(0); \
    if (has_second) second = load(V, f.v.data, i);                                            \
    move(i, by, g, p, moment, second);                                                        \
    if (has_second) store(V, f.v.data, i, second);                                            \
    store(M, f.m.data, i, moment);                                                            \
    store(MASTER, f.master.data, i, p);                                                       \
    if (f.view.data != 0ul) store(VIEW, f.view.data, i, load(MASTER, f.master.data, i));      \
    if (f.count != 0ul && (EXCEEDED(p, f.most_master) || EXCEEDED(moment, f.most_first) ||    \
                           EXCEEDED(second, f.most_second)))                                  \
      count_one(f.count);                                                                     \
  }

//! kernel MakeUpdateFactors_Sgd_f32
#define REAL float
layout(constant_id = 0) const int NORM = 1;
struct Functor { MAKE_UPDATE_FACTORS };
//! functor
FACTORS { SGD_FACTORS };
MAKE_SGD

//! kernel MakeUpdateFactors_Sgd_f64
#define REAL double
layout(constant_id = 0) const int NORM = 1;
struct Functor { MAKE_UPDATE_FACTORS };
//! functor
FACTORS { SGD_FACTORS };
MAKE_SGD

//! kernel MakeUpdateFactors_Adam_f32
//! bodies math_f64::pow
#define REAL float
layout(constant_id = 0) const int NORM = 1;
struct Functor { MAKE_UPDATE_FACTORS };
//! functor
FACTORS { ADAM_FACTORS };
MAKE_ADAM

//! kernel MakeUpdateFactors_Adam_f64
//! bodies math_f64::pow
#define REAL double
layout(constant_id = 0) const int NORM = 1;
struct Functor { MAKE_UPDATE_FACTORS };
//! functor
FACTORS { ADAM_FACTORS };
MAKE_ADAM

//! kernel MakeUpdateFactors_NAdam_f32
//! bodies math_f64::pow
#define REAL float
layout(constant_id = 0) const int NORM = 1;
struct Functor { MAKE_UPDATE_FACTORS };
//! functor
FACTORS { NADAM_FACTORS };
MAKE_NADAM

//! kernel MakeUpdateFactors_NAdam_f64
//! bodies math_f64::pow
#define REAL double
layout(constant_id = 0) const int NORM = 1;
struct Functor { MAKE_UPDATE_FACTORS };
//! functor
FACTORS { NADAM_FACTORS };
MAKE_NADAM

//! kernel MakeUpdateFactors_RAdam_f32
//! bodies math_f64::pow
#define REAL float
layout(constant_id = 0) const int NORM = 1;
struct Functor { MAKE_UPDATE_FACTORS };
//! functor
FACTORS { RADAM_FACTORS };
MAKE_RADAM

//! kernel MakeUpdateFactors_RAdam_f64
//! bodies math_f64::pow
#define REAL double
layout(constant_id = 0) const int NORM = 1;
struct Functor { MAKE_UPDATE_FACTORS };
//! functor
FACTORS { RADAM_FACTORS };
MAKE_RADAM

//! kernel MakeUpdateFactors_Lion_f32
#define REAL float
layout(constant_id = 0) const int NORM = 1;
struct Functor { MAKE_UPDATE_FACTORS };
//! functor
FACTORS { LION_FACTORS };
MAKE_LION

//! kernel MakeUpdateFactors_Lion_f64
#define REAL double
layout(constant_id = 0) const int NORM = 1;
struct Functor { MAKE_UPDATE_FACTORS };
//! functor
FACTORS { LION_FACTORS };
MAKE_LION

//! kernel UpdateElements_Sgd
//! real
UPDATE_CONSTANTS
struct Functor { UPDATE_ELEMENTS };
//! functor
FACTORS { SGD_FACTORS };
void move(int64_t i, Factors by, REAL grad, inout REAL p, inout REAL m, inout REAL v) {
  const REAL g = GRADIENT(by, grad, p);
  m = by.beta * m + g;
  p = p * by.keep - by.rate * (by.ahead * g + by.along * m);
}
UPDATE_ITEM(false)

//! kernel UpdateElements_Adam
//! real
UPDATE_CONSTANTS
struct Functor { UPDATE_ELEMENTS };
//! functor
FACTORS { ADAM_FACTORS };
void move(int64_t i, Factors by, REAL grad, inout REAL p, inout REAL m, inout REAL v) {
  REAL rate = by.rate, correction = by.second_correction;
  if (f.updates != 0ul) {  // counted_adam
    const uint most = 65535u, before = uint(U16(f.updates, i)), t = before < most ? before + 1u : most;
    const uint row = t < f.longest ? t : f.longest;
    rate = by.rate * REAL_AT(f.corrections, 2u * row);
    correction = REAL_AT(f.corrections, 2u * row + 1u);
    U16(f.updates, i) = uint16_t(t);
  }
  const REAL g = GRADIENT(by, grad, p);
  FOLLOW(by, g, m, v)
  p = p * by.keep - (rate * m) / (sqrt(v * correction) + by.epsilon);
}
UPDATE_ITEM(true)

//! kernel UpdateElements_NAdam
//! real
UPDATE_CONSTANTS
struct Functor { UPDATE_ELEMENTS };
//! functor
FACTORS { NADAM_FACTORS };
void move(int64_t i, Factors by, REAL grad, inout REAL p, inout REAL m, inout REAL v) {
  const REAL g = GRADIENT(by, grad, p);
  FOLLOW(by, g, m, v)
  p = p * by.keep - by.rate * (by.of_gradient * g + by.of_moment * m) / (sqrt(v * by.second_correction) + by.epsilon);
}
UPDATE_ITEM(true)

//! kernel UpdateElements_RAdam
//! real
UPDATE_CONSTANTS
struct Functor { UPDATE_ELEMENTS };
//! functor
FACTORS { RADAM_FACTORS };
void move(int64_t i, Factors by, REAL grad, inout REAL p, inout REAL m, inout REAL v) {
  const REAL g = GRADIENT(by, grad, p);
  FOLLOW(by, g, m, v)
  REAL along = REAL(1);
  if (by.adapts != uint8_t(0)) along = by.root_correction / (sqrt(v) + by.epsilon);
  p = p * by.keep - by.rate * m * along;
}
UPDATE_ITEM(true)

//! kernel UpdateElements_Lion
//! real
UPDATE_CONSTANTS
struct Functor { UPDATE_ELEMENTS };
//! functor
FACTORS { LION_FACTORS };
void move(int64_t i, Factors by, REAL grad, inout REAL p, inout REAL m, inout REAL v) {
  const REAL g = GRADIENT(by, grad, p), along = by.beta1 * m + by.one_minus_beta1 * g;
  const REAL direction = along > REAL(0) ? REAL(1) : along < REAL(0) ? REAL(-1) : along;  // that of NaN is NaN
  m = by.beta2 * m + by.one_minus_beta2 * g;
  p = p * by.keep - by.rate * direction;
}
UPDATE_ITEM(false)

