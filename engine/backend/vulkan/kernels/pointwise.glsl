// Element by element: engine/backend/gpu/ops/pointwise.h.
//! include draws.glsl

//! kernel Arithmetic
//! real
//! bodies clamp clamp_grad relu relu_grad sigmoid sigmoid_grad
layout(constant_id = 0) const int OP = 0;  // the row of kArithmetic in gpu/ops/pointwise.h
layout(constant_id = 1) const int A = 1;
layout(constant_id = 2) const int B = 1;
layout(constant_id = 3) const int Y = 1;
layout(constant_id = 4) const int AXES_A = 1;
layout(constant_id = 5) const int AXES_B = 1;
struct Functor {
  uint16_t op; uint8_t pad[6];
  Memory a, b;
  StridedIndex at_a, at_b;
  Memory y;
  REAL p0, p1;
};
//! functor
STRIDED(at_a, f.at_a, AXES_A)
STRIDED(at_b, f.at_b, AXES_B)
REAL value(REAL u, REAL v) {
  switch (OP) {
    case 0: return u + v;
    case 1: return u - v;
    case 2: return u * v;
    case 3: return u * f.p0;
    case 4: return hw_clamp(u, f.p0, f.p1);
    case 5: return hw_clamp_grad(u, v, f.p0, f.p1);
    case 6: return hw_relu(u);
    case 7: return hw_relu_grad(u, v);
    case 8: return hw_sigmoid(u);
    case 9: return hw_sigmoid_grad(u, v);
    default: return REAL(nan64());
  }
}
void item(int64_t i) { store(Y, f.y.data, i, value(load(A, f.a.data, at_a(i)), load(B, f.b.data, at_b(i)))); }

//! kernel Affine
//! real
//! bodies affine
layout(constant_id = 0) const int X = 1;
layout(constant_id = 1) const int Y = 1;
struct Functor {
  Memory x, y;
  uint64_t scale, offset;
  int64_t channels;
};
//! functor
void item(int64_t i) {
  const int64_t k = i % f.channels;
  store(Y, f.y.data, i, hw_affine(load(X, f.x.data, i), REAL(F64(f.scale, k)), REAL(F64(f.offset, k))));
}

//! kernel Unary
//! real
layout(constant_id = 0) const int FN = 0;  // UnaryFn
layout(constant_id = 1) const int X = 1;
layout(constant_id = 2) const int Y = 1;
struct Functor {
  uint8_t fn, pad[7];
  Memory x, y;
  double a, b;
};
//! functor
REAL value(REAL v) {
  switch (FN) {
    //! rows unary unary(v, f.a, f.b)
    default: return v;
  }
}
void item(int64_t i) { store(Y, f.y.data, i, value(load(X, f.x.data, i))); }

//! kernel UnaryGrad
//! real
layout(constant_id = 0) const int FN = 0;  // UnaryFn
layout(constant_id = 1) const int G = 1;
layout(constant_id = 2) const int X = 1;
layout(constant_id = 3) const int Y = 1;
struct Functor {
  uint8_t fn, pad[7];
  Memory g, x, y;
  double a, b;
};
//! functor
REAL value(REAL u, REAL v) {
  switch (FN) {
    //! rows unary unary_grad(u, v, f.a, f.b)
    default: return v;
  }
}
void item(int64_t i) { store(Y, f.y.data, i, value(load(G, f.g.data, i), load(X, f.x.data, i))); }

//! kernel Binary
//! real
layout(constant_id = 0) const int FN = 0;  // BinaryFn
layout(constant_id = 1) const int A = 1;
layout(constant_id = 2) const int B = 1;
layout(constant_id = 3) const int Y = 1;
layout(constant_id = 4) const int AXES_A = 1;
layout(constant_id = 5) const int AXES_B = 1;
struct Functor {
  uint8_t fn, pad[7];
  Memory a, b;
  StridedIndex at_a, at_b;
  Memory y;
};
//! functor
STRIDED(at_a, f.at_a, AXES_A)
STRIDED(at_b, f.at_b, AXES_B)
REAL value(REAL u, REAL v) {
  switch (FN) {
    //! rows binary binary(u, v)
    default: return u;
  }
}
void item(int64_t i) { store(Y, f.y.data, i, value(load(A, f.a.data, at_a(i)), load(B, f.b.data, at_b(i)))); }

//! kernel BinaryGrad
//! real
layout(constant_id = 0) const int FN = 0;  // BinaryFn
layout(constant_id = 1) const int BY_B = 0;
layout(constant_id = 2) const int G = 1;
layout(constant_id = 3) const int A = 1;
layout(constant_id = 4) const int B = 1;
layout(constant_id = 5) const int Y = 1;
layout(constant_id = 6) const int AXES_A = 1;
layout(constant_id = 7) const int AXES_B = 1;
struct Functor {
  uint8_t fn, by_b, pad[6];
  Memory g, a, b;
  StridedIndex at_a, at_b;
  Memory y;
};
//! functor
STRIDED(at_a, f.at_a, AXES_A)
STRIDED(at_b, f.at_b, AXES_B)
REAL value(REAL w, REAL u, REAL v) {
  if (BY_B != 0) switch (FN) {
    //! rows binary binary_grad_b(w, u, v)
    default: return w;
  }
  switch (FN) {
    //! rows binary binary_grad_a(w, u, v)
    default: return w;
  }
}
void item(int64_t i) {
  const REAL u = load(A, f.a.data, at_a(i)), v = load(B, f.b.data, at_b(i));
  store(Y, f.y.data, i, value(load(G, f.g.data, i), u, v));
}

//! kernel Compare
layout(constant_id = 0) const int FN = 0;  // CompareFn
layout(constant_id = 1) const int A = 1;
layout(constant_id = 2) const int B = 1;
layout(constant_id = 3) const int AXES_A = 1;
layout(constant_id = 4) const int AXES_B = 1;
struct Functor {
  uint8_t fn, pad[7];
  Memory a, b;
  StridedIndex at_a, at_b;
  uint64_t y;
};
//! functor
STRIDED(at_a, f.at_a, AXES_A)
STRIDED(at_b, f.at_b, AXES_B)
bool holds(double u, double v) {
  if (is_nan(u) || is_nan(v)) return FN == 1;
  switch (FN) {  // binary.def
    case 0: return u == v;
    case 1: return u != v;
    case 2: return u < v;
    case 3: return u <= v;
    case 4: return u > v;
    case 5: return u >= v;
    default: return false;
  }
}
void item(int64_t i) {
  U8(f.y, i) = uint8_t(holds(load64(A, f.a.data, at_a(i)), load64(B, f.b.data, at_b(i))) ? 1u : 0u);
}

//! kernel Where
layout(constant_id = 0) const int Y = 1;
layout(constant_id = 1) const int AXES_CONDITION = 1;
layout(constant_id = 2) const int AXES_A = 1;
layout(constant_id = 3) const int AXES_B = 1;
struct Functor {
  uint64_t condition;
  Memory a, b;
  StridedIndex at_condition, at_a, at_b;
  Memory y;
};
//! functor
STRIDED(at_condition, f.at_condition, AXES_CONDITION)
STRIDED(at_a, f.at_a, AXES_A)
STRIDED(at_b, f.at_b, AXES_B)
void item(int64_t i) {
  if (U8(f.condition, at_condition(i)) != uint8_t(0))
    copy_element(Y, f.y.data, i, f.a.data, at_a(i));
  else
    copy_element(Y, f.y.data, i, f.b.data, at_b(i));
}

//! kernel Dropout
//! real
layout(constant_id = 0) const int X = 1;
layout(constant_id = 1) const int Y = 1;
struct Functor {
  Memory x, y;
  uint below;
  REAL factor;
  Drawn drawn;
};
//! functor
void item(int64_t block) {
  int64_t begin;
  const uvec4 words = drawn_words(f.drawn, block, begin);
  for (int k = 0; k < 4; ++k) {
    const int64_t i = begin + k;
    if (!drawn_has(i, f.drawn.size)) continue;
    const REAL x = load(X, f.x.data, i);
    store(Y, f.y.data, i, (words[k] >> 8) < f.below ? x * f.factor : REAL(0));
  }
}

//! kernel Uniform
//! real
layout(constant_id = 0) const int Y = 1;
struct Functor {
  Memory y;
  REAL begin, span;
  Drawn drawn;
};
//! functor
void item(int64_t block) {
  int64_t begin;
  const uvec4 words = drawn_words(f.drawn, block, begin);
  for (int k = 0; k < 4; ++k)
    if (drawn_has(begin + k, f.drawn.size)) store(Y, f.y.data, begin + k, f.begin + f.span * unit_of(words[k]));
}

//! kernel Normal
//! real
//! bodies math::log sin_cos_pi
layout(constant_id = 0) const int Y = 1;
struct Functor {
  Memory y;
  REAL mean, deviation;
  Drawn drawn;
};
//! functor
/// kernels::log_positive.
#ifdef REAL_IS_F64
double log_positive(double x) { return math_log(x); }
#else
float log_positive(float x) {
  const uint bits = floatBitsToUint(x);
  float m = uintBitsToFloat((bits & 0x007FFFFFu) | 0x3F000000u);  // in [0.5, 1)
  const bool low = m < 0.70710678;
  const float e = float(int(bits >> 23) - 126) - (low ? 1.0 : 0.0);
  m = low ? m + m - 1.0 : m - 1.0;
  const float z = m * m;
  float p = 7.0376836292e-2;
  p = p * m + -1.1514610310e-1;
  p = p * m + 1.1676998740e-1;
  p = p * m + -1.2420140846e-1;
  p = p * m + 1.4249322787e-1;
  p = p * m + -1.6668057665e-1;
  p = p * m + 2.0000714765e-1;
  p = p * m + -2.4999993993e-1;
  p = p * m + 3.3333331174e-1;
  const float y = p * m * z + e * -2.12194440e-4 - 0.5 * z;
  return m + y + e * 0.693359375;
}
#endif
/// kernels::normal_pair.
void normal_pair(uint first, uint second, out REAL even, out REAL odd) {
  const REAL radius = sqrt(REAL(-2) * log_positive(unit_of(first) + REAL(5.9604644775390625e-8lf)));
  REAL sine, cosine;
  hw_sin_cos_pi(REAL(2) * unit_of(second), sine, cosine);
  even = radius * cosine;
  odd = radius * sine;
}
void item(int64_t block) {
  int64_t begin;
  const uvec4 words = drawn_words(f.drawn, block, begin);
  for (int k = 0; k < 4; k += 2) {
    const int64_t i = begin + k;
    const bool has_even = drawn_has(i, f.drawn.size), has_odd = drawn_has(i + 1l, f.drawn.size);
    if (!has_even && !has_odd) continue;
    REAL even, odd;
    normal_pair(words[k], words[k + 1], even, odd);
    if (has_even) store(Y, f.y.data, i, f.mean + f.deviation * even);
    if (has_odd) store(Y, f.y.data, i + 1l, f.mean + f.deviation * odd);
  }
}
