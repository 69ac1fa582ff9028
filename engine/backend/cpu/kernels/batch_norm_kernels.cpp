// Batch normalisation. Statistics are sums in f64 over fixed pieces of pictures: no thread count changes a bit.
#include <cassert>
#include <cmath>

#include "engine/backend/cpu/kernels/norm_sums.h"

namespace hw::cpu {
namespace {

template <class S>
constexpr DType kStorage = std::is_same_v<S, Bf16> ? DType::bf16 : kDTypeOf<S>;

// x [N, C, ..]: a row is C planes of `inner` elements; channels last, `inner` pixels of C channels.
struct Channels {
  int64_t count, inner, in_all;  // in_all: elements of one channel over all rows
  bool last;

  Channels(const KernelContext& c, size_t input) : count(c.in(input).dims[1]), inner(1) {
    const Dims& dims = c.in(input).dims;
    for (size_t d = 2; d < dims.size(); ++d) inner *= dims[d];
    in_all = dims[0] * inner;
    last = c.channels_last[c.instr.in[input]];
  }
  // Pixels of a row, channels last, that are few enough to stay in the cache.
  int64_t few() const { return std::max<int64_t>(1, 2 * kBlock / std::max<int64_t>(count, 1) / 8) * 8; }
  // What is computed at once, with elements of so many bytes: a row, or channels last a few pixels.
  size_t buffer_bytes(size_t element) const {
    return padded(static_cast<size_t>(count * (last ? std::min(few(), inner) : inner)) * element);
  }
  // f(first pixel, how many) for a few pixels of a row after the other, each beginning at lane 0, or for all of them
  // where none needs a buffer.
  template <class F>
  void each_chunk(bool in_place, F f) const {
    const int64_t chunk = in_place ? std::max<int64_t>(inner, 1) : few();
    for (int64_t i = 0; i < inner; i += chunk) f(i, std::min(chunk, inner - i));
  }
  // As S, channels last: their own memory, or widened into the buffer.
  template <class S>
  const S* pixels_of(const Operand& x, int64_t row, int64_t first, int64_t n, S* buffer) const {
    if constexpr (std::is_same_v<S, Bf16>) {
      assert(x.dtype == DType::bf16);
      return x.as<Bf16>() + (row * inner + first) * count;
    } else {
      return elements_of(x, (row * inner + first) * count, n * count, buffer);
    }
  }
};

// Sums by channel of pixels that come one after the other, channels last. Each is added up in eight lanes as sum()
// does, so that the layout changes no bit.
class ChannelSums {
 public:
  explicit ChannelSums(int64_t channels) : channels_(channels), lanes_(static_cast<size_t>(8 * channels)) {}
  double* lanes() { return lanes_.data(); }
  // Adds factor (null: 1) times the sums to `to`, and begins anew.
  void take(double* to, const double* factor = nullptr) {
    for (int64_t c = 0; c < channels_; ++c) {
      double l[8];
      for (int64_t k = 0; k < 8; ++k) l[k] = lanes_[static_cast<size_t>(k * channels_ + c)];
      to[c] += (factor ? factor[c] : 1) * lanes_sum(l);
    }
    std::fill(lanes_.begin(), lanes_.end(), 0.0);
  }

 private:
  int64_t channels_;
  std::vector<double> lanes_;
};

// A partial: how many rows, then the mean and the sum of squared deviations of each channel. Merged as Chan et al.
// 1979 do: no cancellation where the mean is large.
template <class T, class S>
class ChannelMoments : public ReductionKernel {
 public:
  explicit ChannelMoments(const KernelContext& c) : x_(c, 0), loops_(norm_loops_of<T, S>(c.simd)) {}
  size_t scratch_bytes() const override { return x_.buffer_bytes(sizeof(T)) + statistics_bytes(); }
  size_t partial_bytes() const override { return statistics_bytes(); }
  void run(const Tile& tile, const Operand* in, std::byte* partial, bool first) const override {
    auto* all = reinterpret_cast<double*>(partial);
    if (first) std::fill(all, all + 1 + 2 * x_.count, 0.0);
    T* row = buffer_at<T>(tile, statistics_bytes());
    auto* own = buffer_at<double>(tile, 0);
    std::fill(own, own + 1 + 2 * x_.count, 0.0);
    own[0] = static_cast<double>(tile.rows * x_.inner);
    double *mean = own + 1, *squares = own + 1 + x_.count;
    for (int64_t r = 0; r < tile.rows; ++r) add_means(in[0], r, row, mean);
    for (int64_t c = 0; c < x_.count; ++c) mean[c] /= own[0];
    for (int64_t r = 0; r < tile.rows; ++r) add_squares(in[0], r, row, mean, squares);
    merge(all, own);
  }
  void finish(const std::byte* partials, int64_t groups, const Operand& out) const override {
    std::vector<double> all(static_cast<size_t>(1 + 2 * x_.count), 0.0);
    for (int64_t k = 0; k < groups; ++k)
      merge(all.data(), reinterpret_cast<const double*>(partials + static_cast<size_t>(k) * partial_bytes()));
    if (all[0] > 0)
      for (int64_t c = 0; c < x_.count; ++c) all[static_cast<size_t>(1 + x_.count + c)] /= all[0];
    store(out, 0, 2 * x_.count, DType::f64, all.data() + 1);
  }

 private:
  size_t statistics_bytes() const { return padded(static_cast<size_t>(1 + 2 * x_.count) * sizeof(double)); }
  void add_means(const Operand& in, int64_t r, T* row, double* mean) const {
    if (x_.last)
      return add_pixels(in, r, row, mean,
                        [&](const S* x, double* lanes, int64_t n) { loops_.sum(x, lanes, n, x_.count); });
    const T* x = row_of(in, r, row);
    for (int64_t c = 0; c < x_.count; ++c, x += x_.inner)
      mean[c] += sum(x_.inner, [&](int64_t i) { return static_cast<double>(x[i]); });
  }
  void add_squares(const Operand& in, int64_t r, T* row, const double* mean, double* squares) const {
    if (x_.last)
      return add_pixels(in, r, row, squares,
                        [&](const S* x, double* lanes, int64_t n) { loops_.squares(x, mean, lanes, n, x_.count); });
    const T* x = row_of(in, r, row);
    for (int64_t c = 0; c < x_.count; ++c, x += x_.inner)
      squares[c] += sum(x_.inner, [&](int64_t i) {
        const double d = static_cast<double>(x[i]) - mean[c];
        return d * d;
      });
  }
  template <class F>
  void add_pixels(const Operand& in, int64_t r, T* row, double* to, F add) const {
    ChannelSums sums(x_.count);
    x_.each_chunk(in.dtype == kStorage<S>, [&](int64_t first, int64_t n) {
      add(x_.pixels_of(in, r, first, n, reinterpret_cast<S*>(row)), sums.lanes(), n);
    });
    sums.take(to);
  }
  void merge(double* all, const double* part) const {
    const double n = all[0] + part[0];
    if (n == 0) return;
    for (int64_t c = 0; c < x_.count; ++c) {
      double &mean = all[1 + c], &squares = all[1 + x_.count + c];
      const double delta = part[1 + c] - mean;
      squares += part[1 + x_.count + c] + delta * delta * (all[0] * part[0] / n);
      mean += delta * (part[0] / n);
    }
    all[0] = n;
  }
  Channels x_;
  const NormLoops<T, S>& loops_;
};

// 1 / √(variance + ε) of each channel.
std::vector<double> slopes(const std::vector<double>& moments, double epsilon) {
  const size_t channels = moments.size() / 2;
  std::vector<double> v(channels);
  for (size_t c = 0; c < channels; ++c) v[c] = 1 / std::sqrt(moments[channels + c] + epsilon);
  return v;
}

// (x, moments, scale, bias)
template <class T, class S>
class BatchNorm : public TileKernel {
 public:
  explicit BatchNorm(const KernelContext& c)
      : x_(c, 0), epsilon_(c.attr<BatchNormAttr>().epsilon), loops_(norm_loops_of<T, S>(c.simd)) {}
  size_t scratch_bytes() const override { return 2 * x_.buffer_bytes(sizeof(T)); }
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    const std::vector<double> moments = wide(in[1]), scale = wide(in[2]), bias = wide(in[3]);
    const std::vector<double> slope = slopes(moments, epsilon_);
    T *row = buffer_at<T>(tile, 0), *result = buffer_at<T>(tile, x_.buffer_bytes(sizeof(T)));
    const auto channels = static_cast<size_t>(x_.count);
    std::vector<T> mean(channels), factor(channels), offset(channels);
    for (size_t c = 0; c < channels; ++c) {
      mean[c] = static_cast<T>(moments[c]);
      factor[c] = static_cast<T>(scale[c] * slope[c]);
      offset[c] = static_cast<T>(bias[c]);
    }
    const int64_t size = x_.count * x_.inner;
    const bool in_place = in[0].dtype == kStorage<S> && out[0].dtype == kDTypeOf<T>;
    for (int64_t r = 0; r < tile.rows; ++r) {
      if (x_.last) {
        x_.each_chunk(in_place, [&](int64_t first, int64_t n) {
          const S* x = x_.pixels_of(in[0], r, first, n, reinterpret_cast<S*>(row));
          const int64_t at = r * size + first * x_.count;
          T* y = write_target(out[0], at, result);
          loops_.normalise(x, mean.data(), factor.data(), offset.data(), y, n, x_.count);
          write_back(out[0], at, n * x_.count, y);
        });
        continue;
      }
      const T* x = row_of(in[0], r, row);
      T* y = write_target(out[0], r * size, result);
      for (int64_t c = 0; c < x_.count; ++c) {
        const auto k = static_cast<size_t>(c);
        for (int64_t i = c * x_.inner; i < (c + 1) * x_.inner; ++i) y[i] = (x[i] - mean[k]) * factor[k] + offset[k];
      }
      write_back(out[0], r * size, size, y);
    }
  }

 private:
  Channels x_;
  double epsilon_;
  const NormLoops<T, S>& loops_;
};

// (g, x, moments)
template <class T, class S>
class BatchNormGradSums : public ReductionKernel {
 public:
  explicit BatchNormGradSums(const KernelContext& c)
      : x_(c, 1), epsilon_(c.attr<BatchNormAttr>().epsilon), loops_(norm_loops_of<T, S>(c.simd)) {}
  size_t scratch_bytes() const override { return 2 * x_.buffer_bytes(sizeof(T)); }
  size_t partial_bytes() const override { return padded(static_cast<size_t>(2 * x_.count) * sizeof(double)); }
  void run(const Tile& tile, const Operand* in, std::byte* partial, bool first) const override {
    auto* sums = reinterpret_cast<double*>(partial);
    if (first) std::fill(sums, sums + 2 * x_.count, 0.0);
    const std::vector<double> moments = wide(in[2]), slope = slopes(moments, epsilon_);
    T *row_g = buffer_at<T>(tile, 0), *row_x = buffer_at<T>(tile, x_.buffer_bytes(sizeof(T)));
    ChannelSums products(x_.last ? x_.count : 0), gradients(x_.last ? x_.count : 0);
    for (int64_t r = 0; r < tile.rows; ++r) {
      if (x_.last) {
        x_.each_chunk(in[1].dtype == kStorage<S>, [&](int64_t first_pixel, int64_t n) {
          const S *g = x_.pixels_of(in[0], r, first_pixel, n, reinterpret_cast<S*>(row_g)),
                  *x = x_.pixels_of(in[1], r, first_pixel, n, reinterpret_cast<S*>(row_x));
          loops_.grad_sums(g, x, moments.data(), products.lanes(), gradients.lanes(), n, x_.count);
        });
        products.take(sums, slope.data());
        gradients.take(sums + x_.count);
        continue;
      }
      const T *g = row_of(in[0], r, row_g), *x = row_of(in[1], r, row_x);
      for (int64_t c = 0; c < x_.count; ++c, g += x_.inner, x += x_.inner) {
        const double mean = moments[static_cast<size_t>(c)];
        sums[c] += slope[static_cast<size_t>(c)] * sum(x_.inner, [&](int64_t i) {
                     return static_cast<double>(g[i]) * (static_cast<double>(x[i]) - mean);
                   });
        sums[x_.count + c] += sum(x_.inner, [&](int64_t i) { return static_cast<double>(g[i]); });
      }
    }
  }
  void finish(const std::byte* partials, int64_t groups, const Operand& out) const override {
    finish_sums<double>(partials, partial_bytes(), groups, out);
  }

 private:
  Channels x_;
  double epsilon_;
  const NormLoops<T, S>& loops_;
};

// (g, x, moments, scale, sums)
template <class T, class S>
class BatchNormGradInput : public TileKernel {
 public:
  explicit BatchNormGradInput(const KernelContext& c)
      : x_(c, 1), attr_(c.attr<BatchNormAttr>()), loops_(norm_loops_of<T, S>(c.simd)) {}
  size_t scratch_bytes() const override { return 3 * x_.buffer_bytes(sizeof(T)); }
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    const std::vector<double> moments = wide(in[2]), scale = wide(in[3]), sums = wide(in[4]);
    const std::vector<double> slope = slopes(moments, attr_.epsilon);
    const size_t bytes = x_.buffer_bytes(sizeof(T));
    T *row_g = buffer_at<T>(tile, 0), *row_x = buffer_at<T>(tile, bytes), *result = buffer_at<T>(tile, 2 * bytes);
    const int64_t size = x_.count * x_.inner;
    const auto n = static_cast<double>(x_.in_all);
    const auto channels = static_cast<size_t>(x_.count);
    std::vector<T> mean(channels), factor(channels), through_mean(channels), through_variance(channels);
    for (size_t c = 0; c < channels; ++c) {
      mean[c] = static_cast<T>(moments[c]);
      factor[c] = static_cast<T>(scale[c] * slope[c]);
      through_mean[c] = static_cast<T>(sums[channels + c] / n);
      through_variance[c] = static_cast<T>(sums[c] / n * slope[c]);
    }
    const bool in_place = in[1].dtype == kStorage<S> && out[0].dtype == kDTypeOf<T>;
    const NormGrad<T> norm{mean.data(), factor.data(), through_mean.data(), through_variance.data()};
    for (int64_t r = 0; r < tile.rows; ++r) {
      if (x_.last) {
        x_.each_chunk(in_place, [&](int64_t first, int64_t pixels) {
          const S *g = x_.pixels_of(in[0], r, first, pixels, reinterpret_cast<S*>(row_g)),
                  *x = x_.pixels_of(in[1], r, first, pixels, reinterpret_cast<S*>(row_x));
          const int64_t at = r * size + first * x_.count;
          T* dx = write_target(out[0], at, result);
          if (attr_.batch)
            loops_.normalise_grad(g, x, norm, dx, pixels, x_.count);
          else  // neither x nor the sums count, whatever they are
            loops_.scale(g, norm.factor, dx, pixels, x_.count);
          write_back(out[0], at, pixels * x_.count, dx);
        });
        continue;
      }
      const T *g = row_of(in[0], r, row_g), *x = row_of(in[1], r, row_x);
      T* dx = write_target(out[0], r * size, result);
      for (int64_t c = 0; c < x_.count; ++c) {
        const auto k = static_cast<size_t>(c);
        const int64_t begin = c * x_.inner, end = begin + x_.inner;
        if (!attr_.batch) {
          for (int64_t i = begin; i < end; ++i) dx[i] = factor[k] * g[i];
          continue;
        }
        for (int64_t i = begin; i < end; ++i)
          dx[i] = factor[k] * (g[i] - through_mean[k] - (x[i] - mean[k]) * through_variance[k]);
      }
      write_back(out[0], r * size, size, dx);
    }
  }

 private:
  Channels x_;
  BatchNormAttr attr_;
  const NormLoops<T, S>& loops_;
};

// (running mean, running variance, moments), in place.
class MomentsUpdate : public WholeKernel {
 public:
  explicit MomentsUpdate(const KernelContext& c) : attr_(c.attr<MomentsAttr>()) {}
  void run(const WholeRun&, const Operand* in, const Operand*) override {
    std::vector<double> mean = wide(in[0]), variance = wide(in[1]);
    const std::vector<double> moments = wide(in[2]);
    for (size_t c = 0; c < mean.size(); ++c) {
      mean[c] = (1 - attr_.rate) * mean[c] + attr_.rate * moments[c];
      variance[c] = (1 - attr_.rate) * variance[c] + attr_.rate * attr_.variance_factor * moments[mean.size() + c];
    }
    convert(in[0].dtype, in[0].data, DType::f64, mean.data(), mean.size());
    convert(in[1].dtype, in[1].data, DType::f64, variance.data(), variance.size());
  }

 private:
  MomentsAttr attr_;
};

/// The kernel for the storage dtype of input 0. It says which loops it runs: those over channels are vectorised.
template <class Interface, template <class T, class S> class Made>
std::unique_ptr<Interface> made(const KernelContext& c) {
  const DType storage = c.in(0).dtype, compute = compute_dtype(storage);
  std::unique_ptr<Interface> kernel;
  if (compute == DType::f64)
    kernel = std::make_unique<Made<double, double>>(c);
  else if (storage == DType::bf16)
    kernel = std::make_unique<Made<float, Bf16>>(c);
  else
    kernel = std::make_unique<Made<float, float>>(c);
  const bool last = c.channels_last[c.instr.in[0]];
  kernel->kernel_info = {storage, compute, DType::f64, last ? implementation_name(c.simd) : "cpu scalar"};
  return kernel;
}

}  // namespace

std::unique_ptr<TileKernel> make_batch_norm(const KernelContext& c) {
  if (c.instr.op == Op::batch_norm) return made<TileKernel, BatchNorm>(c);
  return made<TileKernel, BatchNormGradInput>(c);
}

std::unique_ptr<ReductionKernel> make_batch_norm_sums(const KernelContext& c) {
  if (c.instr.op == Op::channel_moments) return made<ReductionKernel, ChannelMoments>(c);
  return made<ReductionKernel, BatchNormGradSums>(c);
}

std::unique_ptr<WholeKernel> make_moments_update(const KernelContext& c) {
  auto kernel = std::make_unique<MomentsUpdate>(c);
  kernel->kernel_info = {c.in(0).dtype, DType::f64, DType::f64, "cpu scalar"};
  return kernel;
}

}  // namespace hw::cpu
