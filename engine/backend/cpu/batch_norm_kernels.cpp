// Batch normalisation. Statistics are sums in f64 over fixed pieces of pictures: no thread count changes a bit.
#include <cmath>

#include "engine/backend/cpu/norm_sums.h"

namespace hw::cpu {
namespace {

// x [N, C, ..]: a row is C planes of `inner` elements.
struct Channels {
  int64_t count, inner, in_all;  // in_all: elements of one channel over all rows

  explicit Channels(const Dims& dims) : count(dims[1]), inner(1) {
    for (size_t d = 2; d < dims.size(); ++d) inner *= dims[d];
    in_all = dims[0] * inner;
  }
  size_t row_bytes(size_t element) const { return padded(static_cast<size_t>(count * inner) * element); }
};

// A partial: how many rows, then the mean and the sum of squared deviations of each channel. Merged as Chan et al.
// 1979 do: no cancellation where the mean is large.
template <class T>
class ChannelMoments : public ReductionKernel {
 public:
  explicit ChannelMoments(const KernelContext& c) : x_(c.in(0).dims) {}
  size_t scratch_bytes() const override { return x_.row_bytes(sizeof(T)) + statistics_bytes(); }
  size_t partial_bytes() const override { return statistics_bytes(); }
  void run(const Tile& tile, const Operand* in, std::byte* partial, bool first) const override {
    auto* all = reinterpret_cast<double*>(partial);
    if (first) std::fill(all, all + 1 + 2 * x_.count, 0.0);
    T* row = buffer_at<T>(tile, statistics_bytes());
    auto* own = buffer_at<double>(tile, 0);
    std::fill(own, own + 1 + 2 * x_.count, 0.0);
    own[0] = static_cast<double>(tile.rows * x_.inner);
    double *mean = own + 1, *squares = own + 1 + x_.count;
    for (int64_t r = 0; r < tile.rows; ++r) {
      const T* x = row_of(in[0], r, row);
      for (int64_t c = 0; c < x_.count; ++c, x += x_.inner)
        mean[c] += sum(x_.inner, [&](int64_t i) { return static_cast<double>(x[i]); });
    }
    for (int64_t c = 0; c < x_.count; ++c) mean[c] /= own[0];
    for (int64_t r = 0; r < tile.rows; ++r) {
      const T* x = row_of(in[0], r, row);
      for (int64_t c = 0; c < x_.count; ++c, x += x_.inner)
        squares[c] += sum(x_.inner, [&](int64_t i) {
          const double d = static_cast<double>(x[i]) - mean[c];
          return d * d;
        });
    }
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
};

// 1 / √(variance + ε) of each channel.
std::vector<double> slopes(const std::vector<double>& moments, double epsilon) {
  const size_t channels = moments.size() / 2;
  std::vector<double> v(channels);
  for (size_t c = 0; c < channels; ++c) v[c] = 1 / std::sqrt(moments[channels + c] + epsilon);
  return v;
}

// (x, moments, scale, bias)
template <class T>
class BatchNorm : public TileKernel {
 public:
  explicit BatchNorm(const KernelContext& c) : x_(c.in(0).dims), epsilon_(c.attr<BatchNormAttr>().epsilon) {}
  size_t scratch_bytes() const override { return 2 * x_.row_bytes(sizeof(T)); }
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    const std::vector<double> moments = wide(in[1]), scale = wide(in[2]), bias = wide(in[3]);
    const std::vector<double> slope = slopes(moments, epsilon_);
    T *row = buffer_at<T>(tile, 0), *result = buffer_at<T>(tile, x_.row_bytes(sizeof(T)));
    const int64_t size = x_.count * x_.inner;
    for (int64_t r = 0; r < tile.rows; ++r) {
      const T* x = row_of(in[0], r, row);
      T* y = write_target(out[0], r * size, result);
      for (int64_t c = 0; c < x_.count; ++c) {
        const auto k = static_cast<size_t>(c);
        const T mean = static_cast<T>(moments[k]), factor = static_cast<T>(scale[k] * slope[k]),
                offset = static_cast<T>(bias[k]);
        for (int64_t i = c * x_.inner; i < (c + 1) * x_.inner; ++i) y[i] = (x[i] - mean) * factor + offset;
      }
      write_back(out[0], r * size, size, y);
    }
  }

 private:
  Channels x_;
  double epsilon_;
};

// (g, x, moments)
template <class T>
class BatchNormGradSums : public ReductionKernel {
 public:
  explicit BatchNormGradSums(const KernelContext& c) : x_(c.in(1).dims), epsilon_(c.attr<BatchNormAttr>().epsilon) {}
  size_t scratch_bytes() const override { return 2 * x_.row_bytes(sizeof(T)); }
  size_t partial_bytes() const override { return padded(static_cast<size_t>(2 * x_.count) * sizeof(double)); }
  void run(const Tile& tile, const Operand* in, std::byte* partial, bool first) const override {
    auto* sums = reinterpret_cast<double*>(partial);
    if (first) std::fill(sums, sums + 2 * x_.count, 0.0);
    const std::vector<double> moments = wide(in[2]), slope = slopes(moments, epsilon_);
    T *row_g = buffer_at<T>(tile, 0), *row_x = buffer_at<T>(tile, x_.row_bytes(sizeof(T)));
    for (int64_t r = 0; r < tile.rows; ++r) {
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
};

// (g, x, moments, scale, sums)
template <class T>
class BatchNormGradInput : public TileKernel {
 public:
  explicit BatchNormGradInput(const KernelContext& c) : x_(c.in(1).dims), attr_(c.attr<BatchNormAttr>()) {}
  size_t scratch_bytes() const override { return 3 * x_.row_bytes(sizeof(T)); }
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    const std::vector<double> moments = wide(in[2]), scale = wide(in[3]), sums = wide(in[4]);
    const std::vector<double> slope = slopes(moments, attr_.epsilon);
    const size_t bytes = x_.row_bytes(sizeof(T));
    T *row_g = buffer_at<T>(tile, 0), *row_x = buffer_at<T>(tile, bytes), *result = buffer_at<T>(tile, 2 * bytes);
    const int64_t size = x_.count * x_.inner;
    const auto n = static_cast<double>(x_.in_all);
    for (int64_t r = 0; r < tile.rows; ++r) {
      const T *g = row_of(in[0], r, row_g), *x = row_of(in[1], r, row_x);
      T* dx = write_target(out[0], r * size, result);
      for (int64_t c = 0; c < x_.count; ++c) {
        const auto k = static_cast<size_t>(c);
        const T mean = static_cast<T>(moments[k]), factor = static_cast<T>(scale[k] * slope[k]);
        const T through_mean = static_cast<T>(sums[moments.size() / 2 + k] / n);
        const T through_variance = static_cast<T>(sums[k] / n * slope[k]);
        const int64_t begin = c * x_.inner, end = begin + x_.inner;
        if (!attr_.batch) {  // neither x nor the sums count, whatever they are
          for (int64_t i = begin; i < end; ++i) dx[i] = factor * g[i];
          continue;
        }
        for (int64_t i = begin; i < end; ++i) dx[i] = factor * (g[i] - through_mean - (x[i] - mean) * through_variance);
      }
      write_back(out[0], r * size, size, dx);
    }
  }

 private:
  Channels x_;
  BatchNormAttr attr_;
};

// (running mean, running variance, moments), in place.
class MomentsUpdate : public WholeKernel {
 public:
  explicit MomentsUpdate(const KernelContext& c) : attr_(c.attr<MomentsAttr>()) {}
  void run(const StepInputs&, const Operand* in, const Operand*) override {
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

}  // namespace

std::unique_ptr<TileKernel> make_batch_norm(const KernelContext& c) {
  if (c.instr.op == Op::batch_norm) return made_norm<TileKernel, BatchNorm>(c);
  return made_norm<TileKernel, BatchNormGradInput>(c);
}

std::unique_ptr<ReductionKernel> make_batch_norm_sums(const KernelContext& c) {
  if (c.instr.op == Op::channel_moments) return made_norm<ReductionKernel, ChannelMoments>(c);
  return made_norm<ReductionKernel, BatchNormGradSums>(c);
}

std::unique_ptr<WholeKernel> make_moments_update(const KernelContext& c) {
  auto kernel = std::make_unique<MomentsUpdate>(c);
  kernel->kernel_info = {c.in(0).dtype, DType::f64, DType::f64, "cpu scalar"};
  return kernel;
}

}  // namespace hw::cpu
