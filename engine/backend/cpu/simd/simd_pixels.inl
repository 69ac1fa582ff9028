// The loops of simd.h over the channels of pixels, for one instruction set; included as simd_loops.inl is. Vectors are
// GCC's, of the widest kind that the file is compiled for; channels that fill none are computed one by one. Buffers do
// not overlap.

#define HW_INLINE __attribute__((always_inline))

template <class T, int kCount>
struct NumbersOf {
  typedef T type __attribute__((vector_size(kCount * sizeof(T))));
};
template <class T>
struct NumbersOf<T, 1> {
  using type = T;
};
/// So many numbers.
template <class T, int kCount>
using Numbers = typename NumbersOf<T, kCount>::type;

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#elif defined(__AVX2__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif

template <class V>
HW_INLINE inline V loaded(const void* from) {
  V v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}
template <class T, int kCount, class From>
HW_INLINE inline Numbers<T, kCount> converted(From x) {
  if constexpr (kCount == 1) {
    return static_cast<T>(x);
#if defined(__AVX512F__)  // GCC 12 makes three instructions of each
  } else if constexpr (std::is_same_v<From, Numbers<float, 8>> && std::is_same_v<T, double>) {
    return (Numbers<double, 8>)_mm512_cvtps_pd((__m256)x);
  } else if constexpr (std::is_same_v<From, Numbers<uint16_t, 16>> && std::is_same_v<T, uint32_t>) {
    return (Numbers<uint32_t, 16>)_mm512_cvtepu16_epi32((__m256i)x);
#endif
  } else {
    return __builtin_convertvector(x, Numbers<T, kCount>);
  }
}
/// Numbers of storage S as T.
template <class T, int kCount, class S>
HW_INLINE inline Numbers<T, kCount> widened(const S* from) {
  if constexpr (std::is_same_v<S, Bf16>) {
    const Numbers<uint32_t, kCount> words =
        converted<uint32_t, kCount>(loaded<Numbers<uint16_t, kCount>>(from)) << 16;
    return converted<T, kCount>(__builtin_bit_cast(Numbers<float, kCount>, words));
  } else if constexpr (std::is_same_v<S, T>) {
    return loaded<Numbers<T, kCount>>(from);
  } else {
    return converted<T, kCount>(loaded<Numbers<S, kCount>>(from));
  }
}
/// f(how many, first channel) for all n channels: as many T as a vector has, then one by one.
template <class T, class F>
HW_INLINE inline void each_vector(int64_t n, F f) {
  constexpr int kWidth = kVectorBytes / static_cast<int>(sizeof(T));
  int64_t c = 0;
  for (; c + kWidth <= n; c += kWidth) f(std::integral_constant<int, kWidth>(), c);
  for (; c < n; ++c) f(std::integral_constant<int, 1>(), c);
}

// ---- pooling

/// f(how many, vectors, first channel) for all n channels: four vectors, or single numbers, at once, whose comparisons
/// need not wait for each other.
template <class T, class F>
HW_INLINE inline void each_four(int64_t n, F f) {
  constexpr int kWidth = kVectorBytes / static_cast<int>(sizeof(T));
  int64_t c = 0;
  for (; c + 4 * kWidth <= n; c += 4 * kWidth)
    f(std::integral_constant<int, kWidth>(), std::integral_constant<int, 4>(), c);
  for (; c + kWidth <= n; c += kWidth) f(std::integral_constant<int, kWidth>(), std::integral_constant<int, 1>(), c);
  for (; c < n; ++c) f(std::integral_constant<int, 1>(), std::integral_constant<int, 1>(), c);
}
/// Whether the best so far stays it beside x, which is neither larger nor the first NaN.
template <class V>
HW_INLINE inline auto stays(V best, V x) {
  return (x <= best) | (best != best);
}
template <class T>
void channels_max(const T* const* x, T* best, int64_t rows, int64_t columns, int64_t n) {
  each_four<T>(n, [=](auto width, auto vectors, int64_t c) HW_INLINE {
    using V = Numbers<T, width>;
    V most[decltype(vectors)::value];
    for (int k = 0; k < vectors; ++k) most[k] = loaded<V>(x[0] + c + k * width);
    for (int64_t r = 0; r < rows; ++r)
      for (const T *at = x[r] + c, *const end = at + columns * n; at < end; at += n)
        for (int k = 0; k < vectors; ++k) {
          const V v = loaded<V>(at + k * width);
          most[k] = stays(most[k], v) ? most[k] : v;
        }
    for (int k = 0; k < vectors; ++k) __builtin_memcpy(best + c + k * width, &most[k], sizeof(V));
  });
}
template <class T>
void channels_max_grad(const T* const* x, T* const* dx, const T* g, int64_t rows, int64_t columns, int64_t n) {
  each_four<T>(n, [=](auto width, auto vectors, int64_t c) HW_INLINE {
    using V = Numbers<T, width>;
    using Tap = Numbers<std::conditional_t<sizeof(T) == 8, int64_t, int32_t>, width>;
    V best[decltype(vectors)::value], share[decltype(vectors)::value];
    Tap found[decltype(vectors)::value], tap{};
    for (int k = 0; k < vectors; ++k) {
      best[k] = loaded<V>(x[0] + c + k * width);
      share[k] = loaded<V>(g + c + k * width);
      found[k] = tap;
    }
    for (int64_t r = 0; r < rows; ++r)
      for (const T *at = x[r] + c, *const end = at + columns * n; at < end; at += n, tap = tap + 1)
        for (int k = 0; k < vectors; ++k) {
          const V v = loaded<V>(at + k * width);
          const auto keeps = stays(best[k], v);
          found[k] = keeps ? found[k] : tap;
          best[k] = keeps ? best[k] : v;
        }
    tap = Tap{};
    for (int64_t r = 0; r < rows; ++r)
      for (T *at = dx[r] + c, *const end = at + columns * n; at < end; at += n, tap = tap + 1)
        for (int k = 0; k < vectors; ++k) {
          const V before = loaded<V>(at + k * width), sum = found[k] == tap ? before + share[k] : before;
          __builtin_memcpy(at + k * width, &sum, sizeof sum);
        }
  });
}
template <class T>
void channels_divide(T* x, T by, int64_t n) {
  HW_INDEPENDENT for (int64_t i = 0; i < n; ++i) x[i] /= by;
}

template <class T>
constexpr PoolLoops<T> pool_loops() {
  return {channels_max<T>, channels_max_grad<T>, channels_divide<T>};
}

// ---- normalisation

/// f(how many, first channel, element there, sums) adds what a pixel gives to the sums of its lane. In bf16 these are
/// read and written once for two pixels; the processor does not foresee which come next in `read`, the pixels that f
/// reads, so that they are fetched into the cache. Wider ones wait for memory, and come one after the other.
template <int kSums, int kRead, class S, class F>
HW_INLINE inline void add_to_lanes(double* const (&lanes)[kSums], const S* const (&read)[kRead], int64_t pixels,
                                   int64_t n, F f) {
  constexpr bool kNarrow = sizeof(S) == sizeof(Bf16);
  constexpr int64_t kLanes = 8, kAtOnce = kNarrow ? 2 : 1, kLine = 64 / sizeof(S);
  const auto fetch = [&](int64_t pixel) HW_INLINE {
    for (int64_t c = 0; c < n; c += kLine)
      for (const S* x : read) __builtin_prefetch(x + pixel * n + c);
  };
  const auto add = [&](int64_t first, auto count) HW_INLINE {
    const int64_t lane = first % kLanes;
    for (int k = 0; kNarrow && k < count; ++k) fetch(first + kLanes * (kAtOnce + k));
    each_vector<double>(n, [&](auto width, int64_t c) HW_INLINE {
      Numbers<double, width> sums[kSums];
      for (int s = 0; s < kSums; ++s) sums[s] = loaded<Numbers<double, width>>(lanes[s] + lane * n + c);
      for (int k = 0; k < count; ++k) f(width, c, (first + kLanes * k) * n + c, sums);
      for (int s = 0; s < kSums; ++s) __builtin_memcpy(lanes[s] + lane * n + c, &sums[s], sizeof sums[s]);
    });
  };
  int64_t i = 0;
  for (; i + kLanes * kAtOnce <= pixels; i += kLanes * kAtOnce)
    for (int64_t lane = 0; lane < kLanes; ++lane) add(i + lane, std::integral_constant<int, kAtOnce>());
  for (; i < pixels; ++i) add(i, std::integral_constant<int, 1>());
}
template <class S>
void channels_sum(const S* x, double* lanes, int64_t pixels, int64_t n) {
  add_to_lanes<1, 1>({lanes}, {x}, pixels, n, [=](auto width, int64_t, int64_t at, auto* sums) HW_INLINE {
    sums[0] += widened<double, width>(x + at);
  });
}
template <class S>
void channels_squares(const S* x, const double* mean, double* lanes, int64_t pixels, int64_t n) {
  add_to_lanes<1, 1>({lanes}, {x}, pixels, n, [=](auto width, int64_t c, int64_t at, auto* sums) HW_INLINE {
    const auto d = widened<double, width>(x + at) - widened<double, width>(mean + c);
    sums[0] += d * d;
  });
}
template <class S>
void channels_grad_sums(const S* g, const S* x, const double* mean, double* products, double* gradients, int64_t pixels,
                        int64_t n) {
  add_to_lanes<2, 2>({products, gradients}, {g, x}, pixels, n,
                     [=](auto width, int64_t c, int64_t at, auto* sums) HW_INLINE {
                       const auto gradient = widened<double, width>(g + at);
                       sums[0] += gradient * (widened<double, width>(x + at) - widened<double, width>(mean + c));
                       sums[1] += gradient;
                     });
}

/// y = f(how many, first channel, element there).
template <class T, class F>
HW_INLINE inline void each_result(T* y, int64_t pixels, int64_t n, F f) {
  for (int64_t i = 0; i < pixels; ++i)
    each_vector<T>(n, [&](auto width, int64_t c) HW_INLINE {
      const Numbers<T, width> result = f(width, c, i * n + c);
      __builtin_memcpy(y + i * n + c, &result, sizeof result);
    });
}
template <class T, class S>
void channels_normalise(const S* x, const T* mean, const T* factor, const T* offset, T* y, int64_t pixels, int64_t n) {
  each_result(y, pixels, n, [=](auto width, int64_t c, int64_t at) HW_INLINE {
    return (widened<T, width>(x + at) - widened<T, width>(mean + c)) * widened<T, width>(factor + c) +
           widened<T, width>(offset + c);
  });
}
template <class T, class S>
void channels_scale(const S* g, const T* factor, T* dx, int64_t pixels, int64_t n) {
  each_result(dx, pixels, n, [=](auto width, int64_t c, int64_t at) HW_INLINE {
    return widened<T, width>(factor + c) * widened<T, width>(g + at);
  });
}
template <class T, class S>
void channels_normalise_grad(const S* g, const S* x, const NormGrad<T>& norm, T* dx, int64_t pixels, int64_t n) {
  const NormGrad<T> by = norm;
  each_result(dx, pixels, n, [=](auto width, int64_t c, int64_t at) HW_INLINE {
    return widened<T, width>(by.factor + c) *
           (widened<T, width>(g + at) - widened<T, width>(by.through_mean + c) -
            (widened<T, width>(x + at) - widened<T, width>(by.mean + c)) * widened<T, width>(by.through_variance + c));
  });
}

template <class T, class S = T>
constexpr NormLoops<T, S> norm_loops() {
  return {channels_sum<S>, channels_squares<S>, channels_grad_sums<S>, channels_normalise<T, S>,
          channels_scale<T, S>,  channels_normalise_grad<T, S>};
}
#undef HW_INLINE
