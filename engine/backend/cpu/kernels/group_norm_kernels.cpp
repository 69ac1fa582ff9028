// Layer and group normalisation: the statistics of a group are computed anew where they are needed, in f64.
#include <cmath>

#include "engine/backend/cpu/kernels/norm_sums.h"

namespace hw::cpu {
namespace {

// One group of a row, cut into runs of one channel (inner > 1) or of consecutive channels (inner = 1).
template <class T>
struct Group {
  const GroupNormAttr& a;
  int64_t begin;
  double mean, slope;

  Group(const GroupNormAttr& attr, const T* x, int64_t first) : a(attr), begin(first) {
    const auto n = static_cast<double>(a.group_size);
    mean = sum(a.group_size, [&](int64_t i) { return static_cast<double>(x[begin + i]); }) / n;
    const double squares = sum(a.group_size, [&](int64_t i) {
      const double d = static_cast<double>(x[begin + i]) - mean;
      return d * d;
    });
    slope = 1 / std::sqrt(squares / n + a.epsilon);
  }
  // f(first element, count, its channel, channels a step: 0 or 1)
  template <class F>
  void each_run(F f) const {
    if (a.inner == 1) return f(begin, a.group_size, begin % a.channels, int64_t{1});
    for (int64_t i = begin; i < begin + a.group_size; i += a.inner) f(i, a.inner, i / a.inner % a.channels, int64_t{0});
  }
};

template <class T>
size_t row_bytes(const KernelContext& c, const Value& v) {
  return padded(static_cast<size_t>(element_count(v.dims) / std::max<int64_t>(c.rows, 1)) * sizeof(T));
}

template <class T>
class GroupNorm : public TileKernel {
 public:
  explicit GroupNorm(const KernelContext& c) : attr_(c.attr<GroupNormAttr>()), row_(row_bytes<T>(c, c.in(0))) {}
  size_t scratch_bytes() const override { return 2 * row_; }
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    const std::vector<double> scale = wide(in[1]), bias = wide(in[2]);
    T *row = buffer_at<T>(tile, 0), *result = buffer_at<T>(tile, row_);
    const int64_t size = in[0].row_elems;
    for (int64_t r = 0; r < tile.rows; ++r) {
      const T* x = row_of(in[0], r, row);
      T* y = write_target(out[0], r * size, result);
      for (int64_t begin = 0; begin < size; begin += attr_.group_size) {
        const Group<T> group(attr_, x, begin);
        const T mean = static_cast<T>(group.mean);
        group.each_run([&](int64_t first, int64_t count, int64_t channel, int64_t step) {
          for (int64_t i = 0; i < count; ++i) {
            const auto k = static_cast<size_t>(channel + i * step);
            y[first + i] = (x[first + i] - mean) * static_cast<T>(group.slope * scale[k]) + static_cast<T>(bias[k]);
          }
        });
      }
      write_back(out[0], r * size, size, y);
    }
  }

 private:
  GroupNormAttr attr_;
  size_t row_;
};

// (g, x, scale)
template <class T>
class GroupNormGradInput : public TileKernel {
 public:
  explicit GroupNormGradInput(const KernelContext& c)
      : attr_(c.attr<GroupNormAttr>()), row_(row_bytes<T>(c, c.in(1))) {}
  size_t scratch_bytes() const override { return 3 * row_; }
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    const std::vector<double> scale = wide(in[2]);
    T *row_g = buffer_at<T>(tile, 0), *row_x = buffer_at<T>(tile, row_), *result = buffer_at<T>(tile, 2 * row_);
    const int64_t size = in[1].row_elems;
    const auto n = static_cast<double>(attr_.group_size);
    for (int64_t r = 0; r < tile.rows; ++r) {
      const T *g = row_of(in[0], r, row_g), *x = row_of(in[1], r, row_x);
      T* dx = write_target(out[0], r * size, result);
      for (int64_t begin = 0; begin < size; begin += attr_.group_size) {
        const Group<T> group(attr_, x, begin);
        const auto scaled = [&](int64_t at, int64_t channel) {
          return static_cast<double>(g[at]) * scale[static_cast<size_t>(channel)];
        };
        double through_mean = 0, through_variance = 0;
        group.each_run([&](int64_t first, int64_t count, int64_t channel, int64_t step) {
          through_mean += sum(count, [&](int64_t i) { return scaled(first + i, channel + i * step); });
          through_variance += sum(count, [&](int64_t i) {
            return scaled(first + i, channel + i * step) * (static_cast<double>(x[first + i]) - group.mean);
          });
        });
        through_mean /= n;
        through_variance *= group.slope * group.slope / n;
        group.each_run([&](int64_t first, int64_t count, int64_t channel, int64_t step) {
          for (int64_t i = 0; i < count; ++i)
            dx[first + i] =
                static_cast<T>(group.slope * (scaled(first + i, channel + i * step) - through_mean -
                                              (static_cast<double>(x[first + i]) - group.mean) * through_variance));
        });
      }
      write_back(out[0], r * size, size, dx);
    }
  }

 private:
  GroupNormAttr attr_;
  size_t row_;
};

// (g, x)
template <class T>
class GroupNormGradSums : public ReductionKernel {
 public:
  explicit GroupNormGradSums(const KernelContext& c) : attr_(c.attr<GroupNormAttr>()), row_(row_bytes<T>(c, c.in(1))) {}
  size_t scratch_bytes() const override { return 2 * row_; }
  size_t partial_bytes() const override { return padded(static_cast<size_t>(2 * attr_.channels) * sizeof(double)); }
  void run(const Tile& tile, const Operand* in, std::byte* partial, bool first) const override {
    auto* sums = reinterpret_cast<double*>(partial);
    if (first) std::fill(sums, sums + 2 * attr_.channels, 0.0);
    T *row_g = buffer_at<T>(tile, 0), *row_x = buffer_at<T>(tile, row_);
    const int64_t size = in[1].row_elems;
    for (int64_t r = 0; r < tile.rows; ++r) {
      const T *g = row_of(in[0], r, row_g), *x = row_of(in[1], r, row_x);
      for (int64_t begin = 0; begin < size; begin += attr_.group_size) {
        const Group<T> group(attr_, x, begin);
        const auto product = [&](int64_t at) {
          return static_cast<double>(g[at]) * (static_cast<double>(x[at]) - group.mean);
        };
        group.each_run([&](int64_t at, int64_t count, int64_t channel, int64_t step) {
          double *scale = sums + channel, *bias = sums + attr_.channels + channel;
          if (step == 0) {
            *scale += group.slope * sum(count, [&](int64_t i) { return product(at + i); });
            *bias += sum(count, [&](int64_t i) { return static_cast<double>(g[at + i]); });
          } else {
            for (int64_t i = 0; i < count; ++i) scale[i] += group.slope * product(at + i);
            for (int64_t i = 0; i < count; ++i) bias[i] += static_cast<double>(g[at + i]);
          }
        });
      }
    }
  }
  void finish(const std::byte* partials, int64_t groups, const Operand& out) const override {
    finish_sums<double>(partials, partial_bytes(), groups, out);
  }

 private:
  GroupNormAttr attr_;
  size_t row_;
};

}  // namespace

std::unique_ptr<TileKernel> make_group_norm(const KernelContext& c) {
  if (c.instr.op == Op::group_norm) return made_norm<TileKernel, GroupNorm>(c);
  return made_norm<TileKernel, GroupNormGradInput>(c);
}

std::unique_ptr<ReductionKernel> make_group_norm_sums(const KernelContext& c) {
  return made_norm<ReductionKernel, GroupNormGradSums>(c);
}

}  // namespace hw::cpu
