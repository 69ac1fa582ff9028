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
template <class T>
void affine(const T* x, const T* factor, const T* offset, T* out, int64_t n) {
  HW_INDEPENDENT for (int64_t i = 0; i < n; ++i) out[i] = kernels::affine(x[i], factor[i], offset[i]);
}

template <class T>
void adam(const kernels::AdamStep<T>& s, const T* grad, T* master, T* m, T* v, int64_t n, bool skip_zero) {
  const kernels::AdamStep<T> step = s;
  if (!skip_zero) {
    HW_INDEPENDENT for (int64_t i = 0; i < n; ++i) kernels::adam(step, grad[i], master[i], m[i], v[i]);
    return;
  }
  HW_INDEPENDENT for (int64_t i = 0; i < n; ++i) {
    T p = master[i], m1 = m[i], v1 = v[i];
    kernels::adam(step, grad[i], p, m1, v1);
    const bool moved = grad[i] != T(0);
    master[i] = moved ? p : master[i];
    m[i] = moved ? m1 : m[i];
    v[i] = moved ? v1 : v[i];
  }
}

template <class T>
void sgd(const kernels::SgdStep<T>& s, const T* grad, T* master, T* momentum, int64_t n, bool skip_zero) {
  const kernels::SgdStep<T> step = s;
  HW_INDEPENDENT for (int64_t i = 0; i < n; ++i) {
    T p = master[i], m1 = momentum[i];
    kernels::sgd(step, grad[i], p, m1);
    const bool moved = !skip_zero | (grad[i] != T(0));
    master[i] = moved ? p : master[i];
    momentum[i] = moved ? m1 : momentum[i];
  }
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
void dropout(const T* x, T* out, int64_t n, int64_t first, uint64_t seed, uint32_t stream, uint64_t step,
             uint32_t threshold, T factor) {
  uint32_t words[64];
  for (int64_t i = 0; i < n;) {
    const int64_t element = first + i;
    philox16(static_cast<uint64_t>(element / 4), seed, stream, step, words);
    const int64_t skip = element % 4;
    const int64_t count = n - i < 64 - skip ? n - i : 64 - skip;
    HW_INDEPENDENT for (int64_t k = 0; k < count; ++k) {
      out[i + k] = (words[skip + k] >> 8) < threshold ? x[i + k] * factor : T(0);
    }
    i += count;
  }
}

template <class T>
constexpr ElementwiseLoops<T> elementwise_loops() {
  return {add<T>,   sub<T>,   mul<T>,  relu_grad<T>, sigmoid_grad<T>, clamp_grad<T>, scale<T>,
          clamp<T>, relu<T>, sigmoid<T>, affine<T>,   adam<T>,         sgd<T>};
}
