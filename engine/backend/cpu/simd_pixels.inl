// The channel loops of simd.h for one instruction set; included as simd_loops.inl is. Buffers do not overlap.

/// x replaces what is best so far: it is larger, or the first NaN.
template <class T>
bool is_better(T x, T best) {
  return x > best || (x != x && best == best);
}
template <class T>
void channels_max(const T* x, T* best, int64_t n) {
  HW_INDEPENDENT for (int64_t i = 0; i < n; ++i) best[i] = is_better(x[i], best[i]) ? x[i] : best[i];
}
template <class T>
void channels_max_at(const T* x, uint32_t tap, T* best, uint32_t* at, int64_t n) {
  HW_INDEPENDENT for (int64_t i = 0; i < n; ++i) {
    const bool better = is_better(x[i], best[i]);
    at[i] = better ? tap : at[i];
    best[i] = better ? x[i] : best[i];
  }
}
template <class T>
void channels_add_where(const T* g, const uint32_t* at, uint32_t tap, T* sum, int64_t n) {
  HW_INDEPENDENT for (int64_t i = 0; i < n; ++i) sum[i] = at[i] == tap ? sum[i] + g[i] : sum[i];
}
template <class T>
void channels_divide(T* x, T by, int64_t n) {
  HW_INDEPENDENT for (int64_t i = 0; i < n; ++i) x[i] /= by;
}
template <class T>
void channels_sum(const T* x, double* sum, int64_t n) {
  HW_INDEPENDENT for (int64_t i = 0; i < n; ++i) sum[i] += static_cast<double>(x[i]);
}
template <class T>
void channels_squares(const T* x, const double* mean, double* sum, int64_t n) {
  HW_INDEPENDENT for (int64_t i = 0; i < n; ++i) {
    const double d = static_cast<double>(x[i]) - mean[i];
    sum[i] += d * d;
  }
}
template <class T>
void channels_grad_sums(const T* g, const T* x, const double* mean, double* products, double* sum, int64_t n) {
  HW_INDEPENDENT for (int64_t i = 0; i < n; ++i) {
    const auto gradient = static_cast<double>(g[i]);
    products[i] += gradient * (static_cast<double>(x[i]) - mean[i]);
    sum[i] += gradient;
  }
}
template <class T>
void channels_normalise(const T* x, const T* mean, const T* factor, const T* offset, T* y, int64_t n) {
  HW_INDEPENDENT for (int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean[i]) * factor[i] + offset[i];
}
template <class T>
void channels_normalise_grad(const T* g, const T* x, const NormGrad<T>& norm, T* dx, int64_t n) {
  const T *mean = norm.mean, *factor = norm.factor, *through_mean = norm.through_mean,
          *through_variance = norm.through_variance;
  HW_INDEPENDENT for (int64_t i = 0; i < n; ++i) {
    dx[i] = factor[i] * (g[i] - through_mean[i] - (x[i] - mean[i]) * through_variance[i]);
  }
}

template <class T>
constexpr ChannelLoops<T> channel_loops() {
  return {channels_max<T>, channels_max_at<T>, channels_add_where<T>, channels_divide<T>, channels_sum<T>,
          channels_squares<T>, channels_grad_sums<T>, channels_normalise<T>, channels_normalise_grad<T>};
}
