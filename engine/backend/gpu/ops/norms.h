// Batch, layer and group normalisation. Statistics are sums in f64 in a fixed order; mean first, then deviations.
#pragma once

#include <cmath>

#include "engine/backend/gpu/ops/sums.h"

namespace hw::gpu {

/// (x − mean)² where the sum of output o is Σ x over `count` elements.
struct Deviation {
  Element x;
  const double* sums;
  double count;
  HW_BODY double operator()(int64_t o, int64_t k) const {
    const double d = x(o, k) - sums[o] / count;
    return d * d;
  }

  static std::string kernel() { return "Deviation"; }
  Constants constants() const { return x.constants(); }
};

/// x [N, C, ..] by channel: output o is channel o, element k one of its [N, inner].
struct Channels {
  int64_t rows, count, inner;
  explicit Channels(const Dims& dims) : rows(dims[0]), count(dims[1]), inner(1) {
    for (size_t d = 2; d < dims.size(); ++d) inner *= dims[d];
  }
  int64_t in_all() const { return rows * inner; }
  bool along() const { return inner > 1; }
};

struct StoreMoments {
  const double *sums, *squares;
  double count;  // 0: nothing
  int64_t channels;
  kernels::Target y;
  HW_BODY void operator()(int64_t i) const {
    const double sum = i < channels ? sums[i] : squares[i - channels];
    y.put(i, count > 0 ? sum / count : 0.0);
  }

  HW_KERNEL(StoreMoments, y.dtype)
};

template <class Launcher>
Element by_channel(OpContext& c, const kernels::Source& x, const Channels& n) {
  return {x, strided_index(c, {{n.count, n.inner}}), strided_index(c, {{n.rows, n.count * n.inner}, {n.inner, 1}})};
}

template <class Launcher>
void plan_channel_moments(OpContext& c) {
  const Channels n(c.in(0).dims);
  const Element x = by_channel<Launcher>(c, c.read(0), n);
  const auto count = static_cast<double>(n.in_all());
  const double* total = sums<Launcher>(c, x, n.count, n.in_all(), n.along());
  const double* squares = sums<Launcher>(c, Deviation{x, total, count}, n.count, n.in_all(), n.along());
  map<Launcher>(c, 2 * n.count, StoreMoments{total, squares, count, n.count, c.write()});
  c.info.accumulate = DType::f64;
}

/// What an element of a channel needs. Unused: 0.
template <class T>
struct ChannelFactors {
  double mean = 0, slope = 0;  // slope: 1 / √(variance + ε)
  T scale = 0, offset = 0;     // forward: scale · slope, bias. Backward: scale · slope
  T through_mean = 0, through_variance = 0;
};

template <class T>
struct MakeChannelFactors {
  kernels::Source moments, scale, bias, sums;  // data null: not there
  int64_t channels;
  double epsilon, count;
  ChannelFactors<T>* made;
  HW_BODY void operator()(int64_t k) const {
    ChannelFactors<T> f;
    f.mean = moments.at<double>(k);
    f.slope = 1 / std::sqrt(moments.at<double>(channels + k) + epsilon);
    if (scale.data) f.scale = static_cast<T>(scale.at<double>(k) * f.slope);
    if (bias.data) f.offset = static_cast<T>(bias.at<double>(k));
    if (sums.data) {
      f.through_mean = static_cast<T>(sums.at<double>(channels + k) / count);
      f.through_variance = static_cast<T>(f.slope * (sums.at<double>(k) / count));
    }
    made[k] = f;
  }

  HW_REAL_KERNEL(T, MakeChannelFactors, moments.dtype, scale.dtype, bias.dtype, sums.dtype)
};

template <class T>
struct BatchNorm {
  int64_t channels, inner;
  kernels::Source x;
  const ChannelFactors<T>* factors;
  kernels::Target y;
  HW_BODY void operator()(int64_t i) const {
    const ChannelFactors<T>& f = factors[i / inner % channels];
    y.put(i, (x.at<T>(i) - static_cast<T>(f.mean)) * f.scale + f.offset);
  }

  HW_REAL_KERNEL(T, BatchNorm, x.dtype, y.dtype)
};

template <class T>
struct BatchNormGradInput {
  int64_t channels, inner;
  kernels::Source g, x;  // x: data null where the moments are not its own
  const ChannelFactors<T>* factors;
  kernels::Target dx;
  HW_BODY void operator()(int64_t i) const {
    const ChannelFactors<T>& f = factors[i / inner % channels];
    if (!x.data) return dx.put(i, f.scale * g.at<T>(i));
    const T deviation = x.at<T>(i) - static_cast<T>(f.mean);
    dx.put(i, f.scale * (g.at<T>(i) - f.through_mean - deviation * f.through_variance));
  }

  HW_REAL_KERNEL(T, BatchNormGradInput, g.dtype, x.dtype, dx.dtype)
};

/// Outputs [0, C): Σ g · x̂; [C, 2C): Σ g.
template <class T>
struct BatchNormSum {
  int64_t channels;
  Element g, x;  // by channel
  const ChannelFactors<T>* factors;
  HW_BODY double operator()(int64_t o, int64_t k) const {
    const int64_t channel = o % channels;
    const double value = g(channel, k);
    return o < channels ? value * ((x(channel, k) - factors[channel].mean) * factors[channel].slope) : value;
  }

  HW_KERNEL(BatchNormSum, g.x.dtype, g.base.axes, g.along.axes, x.x.dtype, x.base.axes, x.along.axes,
            sizeof(ChannelFactors<T>))
};

template <class Launcher>
void plan_batch_norm(OpContext& c) {
  const bool forward = c.op() == Op::batch_norm, grad_input = c.op() == Op::batch_norm_grad_input;
  const BatchNormAttr& a = c.attr<BatchNormAttr>();
  const Channels n(c.in(forward ? 0 : 1).dims);
  const kernels::Source none{};
  const DType compute = c.in(0).dtype == DType::f64 ? DType::f64 : DType::f32;
  with_real(compute, [&](auto real) {
    using T = decltype(real);
    auto* factors = c.scratch<ChannelFactors<T>>(n.count);
    map<Launcher>(c, n.count,
                  MakeChannelFactors<T>{c.read(forward ? 1 : 2),
                                        forward      ? c.read(2)
                                        : grad_input ? c.read(3)
                                                     : none,
                                        forward ? c.read(3) : none, grad_input && a.batch ? c.read(4) : none, n.count,
                                        a.epsilon, static_cast<double>(n.in_all()), factors});
    if (forward) return map<Launcher>(c, c.out_size(), BatchNorm<T>{n.count, n.inner, c.read(0), factors, c.write()});
    if (grad_input)
      return map<Launcher>(
          c, c.out_size(),
          BatchNormGradInput<T>{n.count, n.inner, c.read(0), a.batch ? c.read(1) : none, factors, c.write()});
    const BatchNormSum<T> f{n.count, by_channel<Launcher>(c, c.read(0), n), by_channel<Launcher>(c, c.read(1), n),
                            factors};
    const double* total = sums<Launcher>(c, f, 2 * n.count, n.in_all(), n.along());
    map<Launcher>(c, 2 * n.count, StoreSums{total, c.write()});
  });
  c.info.accumulate = DType::f64;
}

// ---- groups

struct GroupStatistics {
  double mean, slope;
};

struct MakeGroupStatistics {
  const double *sums, *squares;
  double count, epsilon;
  GroupStatistics* made;
  HW_BODY void operator()(int64_t k) const { made[k] = {sums[k] / count, 1 / std::sqrt(squares[k] / count + epsilon)}; }

  HW_KERNEL(MakeGroupStatistics)
};

struct GroupShape {
  int64_t size, channels, inner;
  HW_BODY int64_t channel(int64_t element) const { return element / inner % channels; }
};

template <class T>
struct GroupNorm {
  GroupShape s;
  kernels::Source x, scale, bias;
  const GroupStatistics* groups;
  kernels::Target y;
  HW_BODY void operator()(int64_t i) const {
    const GroupStatistics& g = groups[i / s.size];
    const int64_t k = s.channel(i);
    const T factor = static_cast<T>(g.slope * scale.at<double>(k));
    y.put(i, (x.at<T>(i) - static_cast<T>(g.mean)) * factor + bias.at<T>(k));
  }

  HW_REAL_KERNEL(T, GroupNorm, x.dtype, scale.dtype, bias.dtype, y.dtype)
};

/// Σ g · scale of group o, or Σ g · scale · (x − mean).
struct GroupGradSum {
  GroupShape s;
  kernels::Source g, x, scale;
  const GroupStatistics* groups;
  bool deviation;
  HW_BODY double operator()(int64_t o, int64_t k) const {
    const int64_t i = o * s.size + k;
    const double value = g.at<double>(i) * scale.at<double>(s.channel(i));
    return deviation ? value * (x.at<double>(i) - groups[o].mean) : value;
  }

  HW_KERNEL(GroupGradSum, g.dtype, x.dtype, scale.dtype, deviation)
};

struct GroupNormGradInput {
  GroupShape s;
  kernels::Source g, x, scale;
  const GroupStatistics* groups;
  const double *scaled, *deviations;  // GroupGradSum, by group
  kernels::Target dx;
  HW_BODY void operator()(int64_t i) const {
    const int64_t o = i / s.size;
    const GroupStatistics& group = groups[o];
    const double n = static_cast<double>(s.size), through_variance = deviations[o] * group.slope * group.slope / n;
    const double value = g.at<double>(i) * scale.at<double>(s.channel(i));
    dx.put(i, group.slope * (value - scaled[o] / n - (x.at<double>(i) - group.mean) * through_variance));
  }

  HW_KERNEL(GroupNormGradInput, g.dtype, x.dtype, scale.dtype, dx.dtype)
};

/// Outputs [0, C): Σ g · x̂; [C, 2C): Σ g. Element k of a channel: [outer, inner].
struct GroupChannelSum {
  GroupShape s;
  kernels::Source g, x;
  const GroupStatistics* groups;
  HW_BODY double operator()(int64_t o, int64_t k) const {
    const int64_t i = (k / s.inner * s.channels + o % s.channels) * s.inner + k % s.inner;
    if (o >= s.channels) return g.at<double>(i);
    const GroupStatistics& group = groups[i / s.size];
    return g.at<double>(i) * ((x.at<double>(i) - group.mean) * group.slope);
  }

  HW_KERNEL(GroupChannelSum, g.dtype, x.dtype)
};

template <class Launcher>
void plan_group_norm(OpContext& c) {
  const GroupNormAttr& a = c.attr<GroupNormAttr>();
  const GroupShape s{a.group_size, a.channels, a.inner};
  const bool forward = c.op() == Op::group_norm;
  const size_t of_x = forward ? 0 : 1;
  const kernels::Source x = c.read(of_x);
  const int64_t size = c.in_size(of_x), groups = size / s.size;
  const Element element{x, strided_index(c, {{groups, s.size}}), strided_index(c, {{s.size, 1}})};
  const auto count = static_cast<double>(s.size);
  const double* total = sums<Launcher>(c, element, groups, s.size, true);
  const double* squares = sums<Launcher>(c, Deviation{element, total, count}, groups, s.size, true);
  auto* statistics = c.scratch<GroupStatistics>(groups);
  map<Launcher>(c, groups, MakeGroupStatistics{total, squares, count, a.epsilon, statistics});
  c.info.accumulate = DType::f64;
  if (forward) {
    with_real(c.compute(), [&](auto real) {
      map<Launcher>(c, size, GroupNorm<decltype(real)>{s, x, c.read(1), c.read(2), statistics, c.write()});
    });
  } else if (c.op() == Op::group_norm_grad_input) {
    const auto grad_sums = [&](bool deviation) {
      return sums<Launcher>(c, GroupGradSum{s, c.read(0), x, c.read(2), statistics, deviation}, groups, s.size, true);
    };
    const double *scaled = grad_sums(false), *deviations = grad_sums(true);
    map<Launcher>(c, size, GroupNormGradInput{s, c.read(0), x, c.read(2), statistics, scaled, deviations, c.write()});
    c.info.compute = DType::f64;
  } else {
    const double* made = sums<Launcher>(c, GroupChannelSum{s, c.read(0), x, statistics}, 2 * s.channels,
                                        s.channels > 0 ? size / s.channels : 0, s.inner > 1);
    map<Launcher>(c, 2 * s.channels, StoreSums{made, c.write()});
    c.info.compute = DType::f64;
  }
}

}  // namespace hw::gpu

/// The planners above, compiled for a launcher.
#define HW_NORMS_PLANNERS(Launcher)                         \
  template void plan_channel_moments<Launcher>(OpContext&); \
  template void plan_batch_norm<Launcher>(OpContext&);      \
  template void plan_group_norm<Launcher>(OpContext&);
