// The loops of simd.h for one instruction set. Included by simd_scalar.cpp, simd_avx2.cpp and simd_avx512.cpp inside a
// namespace of their own; the compiler vectorises. No fma, no reordering: the bits are the same in each.

#define HW_INDEPENDENT _Pragma("GCC ivdep")  // out may be an input: element i alone touches element i

template <class T>
void add(const T* a, const T* b, T* out, int64_t n, T, T) {
  HW_INDEPENDENT for (int64_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
}
template <class T>
void sub(const T* a, const T* b, T* out, int64_t n, T, T) {
  HW_INDEPENDENT for (int64_t i = 0; i < n; ++i) out[i] = a[i] - b[i];
}
template <class T>
void mul(const T* a, const T* b, T* out, int64_t n, T, T) {
  HW_INDEPENDENT for (int64_t i = 0; i < n; ++i) out[i] = a[i] * b[i];
}
template <class T>
void relu_grad(const T* g, const T* y, T* out, int64_t n, T, T) {
  HW_INDEPENDENT for (int64_t i = 0; i < n; ++i) out[i] = kernels::relu_grad(g[i], y[i]);
}
template <class T>
void sigmoid_grad(const T* g, const T* y, T* out, int64_t n, T, T) {
  HW_INDEPENDENT for (int64_t i = 0; i < n; ++i) out[i] = kernels::sigmoid_grad(g[i], y[i]);
}
template <class T>
void clamp_grad(const T* g, const T* x, T* out, int64_t n, T lo, T hi) {
  HW_INDEPENDENT for (int64_t i = 0; i < n; ++i) out[i] = kernels::clamp_grad(g[i], x[i], lo, hi);
}
template <class T>
void scale(const T* x, T* out, int64_t n, T factor, T) {
  HW_INDEPENDENT for (int64_t i = 0; i < n; ++i) out[i] = x[i] * factor;
}
template <class T>
void clamp(const T* x, T* out, int64_t n, T lo, T hi) {
  HW_INDEPENDENT for (int64_t i = 0; i < n; ++i) out[i] = kernels::clamp(x[i], lo, hi);
}
template <class T>
void relu(const T* x, T* out, int64_t n, T, T) {
  HW_INDEPENDENT for (int64_t i = 0; i < n; ++i) out[i] = kernels::relu(x[i]);
}
template <class T>
void sigmoid(const T* x, T* out, int64_t n, T, T) {
  HW_INDEPENDENT for (int64_t i = 0; i < n; ++i) out[i] = kernels::sigmoid(x[i]);
}
// ---- the function tables

#define HW_UNARY(name, formula, p, q)                                              \
  template <class T>                                                               \
  void unary_##name(const T* x, T* out, int64_t n, double a, double b) {           \
    HW_INDEPENDENT for (int64_t i = 0; i < n; ++i) out[i] = kernels::unary::name(x[i], a, b); \
  }                                                                                \
  template <class T>                                                               \
  void unary_grad_##name(const T* g, const T* x, T* out, int64_t n, double a, double b) { \
    HW_INDEPENDENT for (int64_t i = 0; i < n; ++i) out[i] = kernels::unary_grad::name(g[i], x[i], a, b); \
  }
#include "engine/program/unary.def"
#undef HW_UNARY

// f32 sine and cosine: vectors where every angle of a block is near, the branching body where one is not. The bits are
// those of the body.
inline bool all_near(const float* x, int64_t n) {
  bool near = true;
  for (int64_t i = 0; i < n; ++i) near &= kernels::math::is_near(x[i]);
  return near;
}
template <uint32_t kQuarter>
void wave(const float* x, float* out, int64_t n) {
  if (all_near(x, n)) {
    HW_INDEPENDENT for (int64_t i = 0; i < n; ++i) out[i] = kernels::math::sin_near(x[i], kQuarter);
    return;
  }
  for (int64_t i = 0; i < n; ++i) out[i] = kQuarter ? kernels::math::cos(x[i]) : kernels::math::sin(x[i]);
}
inline void wave_sin(const float* x, float* out, int64_t n, double, double) {
  wave<0>(x, out, n);
}
inline void wave_cos(const float* x, float* out, int64_t n, double, double) {
  wave<1>(x, out, n);
}
inline void wave_grad_sin(const float* g, const float* x, float* out, int64_t n, double a, double b) {
  if (!all_near(x, n)) return unary_grad_sin<float>(g, x, out, n, a, b);
  HW_INDEPENDENT for (int64_t i = 0; i < n; ++i) out[i] = g[i] * kernels::math::sin_near(x[i], 1);
}
inline void wave_grad_cos(const float* g, const float* x, float* out, int64_t n, double a, double b) {
  if (!all_near(x, n)) return unary_grad_cos<float>(g, x, out, n, a, b);
  HW_INDEPENDENT for (int64_t i = 0; i < n; ++i) out[i] = -(g[i] * kernels::math::sin_near(x[i], 0));
}

#define HW_BINARY(name, formula)                                                   \
  template <class T>                                                               \
  void binary_##name(const T* a, const T* b, T* out, int64_t n, T, T) {            \
    HW_INDEPENDENT for (int64_t i = 0; i < n; ++i) out[i] = kernels::binary::name(a[i], b[i]); \
  }                                                                                \
  template <class T>                                                               \
  void binary_grad_a_##name(const T* g, const T* a, const T* b, T* out, int64_t n) { \
    HW_INDEPENDENT for (int64_t i = 0; i < n; ++i) out[i] = kernels::binary_grad_a::name(g[i], a[i], b[i]); \
  }                                                                                \
  template <class T>                                                               \
  void binary_grad_b_##name(const T* g, const T* a, const T* b, T* out, int64_t n) { \
    HW_INDEPENDENT for (int64_t i = 0; i < n; ++i) out[i] = kernels::binary_grad_b::name(g[i], a[i], b[i]); \
  }
#define HW_COMPARE(name, symbol)                                                   \
  template <class T>                                                               \
  void compare_##name(const T* a, const T* b, T* out, int64_t n, T, T) {           \
    HW_INDEPENDENT for (int64_t i = 0; i < n; ++i) out[i] = a[i] symbol b[i] ? T(1) : T(0); \
  }
#include "engine/program/binary.def"
#undef HW_BINARY
#undef HW_COMPARE

template <class T>
void where(const T* c, const T* a, const T* b, T* out, int64_t n) {
  HW_INDEPENDENT for (int64_t i = 0; i < n; ++i) out[i] = c[i] != T(0) ? a[i] : b[i];
}

template <class T>
void affine(const T* x, const T* factor, const T* offset, T* out, int64_t n) {
  HW_INDEPENDENT for (int64_t i = 0; i < n; ++i) out[i] = kernels::affine(x[i], factor[i], offset[i]);
}

template <class T>
using Count = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;  // as wide as T: a lane a T

template <bool kSkipZero, class Body, class T>
int64_t update_moved(const Body& s, const kernels::UpdateLimits<T>& l, const T* grad, T* master, T* m, T* v,
                     int64_t n) {
  const Body step = s;
  const kernels::UpdateLimits<T> limits = l;
  Count<T> bad = 0;
  HW_INDEPENDENT for (int64_t i = 0; i < n; ++i) {
    const bool moved = !kSkipZero | (grad[i] != T(0));
    T p = master[i], m1 = m[i];
    if constexpr (kernels::kHasSecondMoment<Body, T>) {
      T v1 = v[i];
      step(grad[i], p, m1, v1);
      v[i] = moved ? v1 : v[i];
      bad += moved & limits.exceeded(p, m1, v1) ? 1 : 0;
    } else {
      step(grad[i], p, m1);
      bad += moved & limits.exceeded(p, m1) ? 1 : 0;
    }
    master[i] = moved ? p : master[i];
    m[i] = moved ? m1 : m[i];
  }
  return bad;
}

template <class Body, class T>
int64_t update(const Body& step, const kernels::UpdateLimits<T>& limits, const T* grad, T* master, T* m, T* v,
               int64_t n, bool skip_zero) {
  return skip_zero ? update_moved<true>(step, limits, grad, master, m, v, n)
                   : update_moved<false>(step, limits, grad, master, m, v, n);
}

template <class T>
int64_t counted_adam(const kernels::CountedAdam<T>& s, const kernels::UpdateLimits<T>& l, const T* grad, T* master,
                     T* m, T* v, uint16_t* updates, int64_t n) {
  const kernels::CountedAdam<T> step = s;
  const kernels::UpdateLimits<T> limits = l;
  int64_t bad = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (grad[i] == T(0)) continue;
    kernels::counted_adam(step, grad[i], master[i], m[i], v[i], updates[i]);
    bad += limits.exceeded(master[i], m[i], v[i]) ? 1 : 0;
  }
  return bad;
}

// Random words of 16 consecutive Philox blocks: words[4 · b + k] is word k of block first + b.
inline __attribute__((always_inline)) void philox16(uint64_t first, uint64_t seed, uint32_t stream, uint64_t step,
                                                    uint32_t* words) {
  uint32_t c0[16], c1[16], c2[16], c3[16];
  for (uint32_t b = 0; b < 16; ++b) {
    c0[b] = static_cast<uint32_t>(first + b);
    c1[b] = static_cast<uint32_t>((first + b) >> 32) ^ static_cast<uint32_t>(step >> 32);
    c2[b] = stream;
    c3[b] = static_cast<uint32_t>(step);
  }
  uint32_t k0 = static_cast<uint32_t>(seed), k1 = static_cast<uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    for (int b = 0; b < 16; ++b) {
      const uint64_t p0 = uint64_t{0xD2511F53u} * c0[b];
      const uint64_t p1 = uint64_t{0xCD9E8D57u} * c2[b];
      c0[b] = static_cast<uint32_t>(p1 >> 32) ^ c1[b] ^ k0;
      c2[b] = static_cast<uint32_t>(p0 >> 32) ^ c3[b] ^ k1;
      c1[b] = static_cast<uint32_t>(p1);
      c3[b] = static_cast<uint32_t>(p0);
    }
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  for (int b = 0; b < 16; ++b) {
    words[4 * b] = c0[b];
    words[4 * b + 1] = c1[b];
    words[4 * b + 2] = c2[b];
    words[4 * b + 3] = c3[b];
  }
}

template <class T>
void dropout(const T* x, T* out, int64_t n, const Draw& draw, uint32_t threshold, T factor) {
  uint32_t words[64];
  for (int64_t i = 0; i < n;) {
    const uint64_t element = draw.first + static_cast<uint64_t>(i);
    philox16(element / 4, draw.seed, draw.stream, draw.step, words);
    const auto skip = static_cast<int64_t>(element % 4);
    const int64_t count = n - i < 64 - skip ? n - i : 64 - skip;
    HW_INDEPENDENT for (int64_t k = 0; k < count; ++k) {
      out[i + k] = kernels::dropout(x[i + k], words[skip + k], threshold, factor);
    }
    i += count;
  }
}

template <class T>
constexpr ElementwiseLoops<T> elementwise_loops() {
  ElementwiseLoops<T> l{};
  l.add = add<T>;
  l.sub = sub<T>;
  l.mul = mul<T>;
  l.relu_grad = relu_grad<T>;
  l.sigmoid_grad = sigmoid_grad<T>;
  l.clamp_grad = clamp_grad<T>;
  l.scale = scale<T>;
  l.clamp = clamp<T>;
  l.relu = relu<T>;
  l.sigmoid = sigmoid<T>;
  l.affine = affine<T>;
#define HW_UPDATE(name, Body, ...) l.name##_update = update<kernels::Body<T>, T>;
#include "engine/program/optimisers.def"
  l.counted_adam = counted_adam<T>;
  l.where = where<T>;
#define HW_UNARY(name, formula, a, b)                         \
  l.unary[static_cast<size_t>(UnaryFn::name)] = unary_##name<T>; \
  l.unary_grad[static_cast<size_t>(UnaryFn::name)] = unary_grad_##name<T>;
#include "engine/program/unary.def"
#undef HW_UNARY
#define HW_BINARY(name, formula)                                            \
  l.binary[static_cast<size_t>(BinaryFn::name)] = binary_##name<T>;         \
  l.binary_grad[0][static_cast<size_t>(BinaryFn::name)] = binary_grad_a_##name<T>; \
  l.binary_grad[1][static_cast<size_t>(BinaryFn::name)] = binary_grad_b_##name<T>;
#define HW_COMPARE(name, symbol) l.compare[static_cast<size_t>(CompareFn::name)] = compare_##name<T>;
#include "engine/program/binary.def"
#undef HW_BINARY
#undef HW_COMPARE
  if constexpr (sizeof(T) == 4) {
    l.unary[static_cast<size_t>(UnaryFn::sin)] = wave_sin;
    l.unary[static_cast<size_t>(UnaryFn::cos)] = wave_cos;
    l.unary_grad[static_cast<size_t>(UnaryFn::sin)] = wave_grad_sin;
    l.unary_grad[static_cast<size_t>(UnaryFn::cos)] = wave_grad_cos;
  }
  return l;
}
