// ref: batch, layer and group normalisation, straight from their definitions.
#include <cmath>

#include "engine/backend/ref/ref_ops.h"

namespace hw::ref {
namespace {

// x [N, C, ..] seen by channel.
struct Channels {
  size_t count, inner;

  explicit Channels(const Dims& dims) : count(static_cast<size_t>(dims[1])), inner(1) {
    for (size_t d = 2; d < dims.size(); ++d) inner *= static_cast<size_t>(dims[d]);
  }
  size_t of(size_t element) const { return element / inner % count; }
};

// Mean and variance (over n) of elements [begin, end).
struct Moments {
  double mean = 0, variance = 0;

  Moments(const Wide& x, size_t begin, size_t end) {
    const auto n = static_cast<double>(end - begin);
    for (size_t i = begin; i < end; ++i) mean += x[i] / n;
    for (size_t i = begin; i < end; ++i) variance += (x[i] - mean) * (x[i] - mean) / n;
  }
};

double normalised(double x, double mean, double variance, double epsilon) {
  return (x - mean) / std::sqrt(variance + epsilon);
}

// f(group's moments, first element, one past the last).
template <class F>
void each_group(const GroupNormAttr& a, const Wide& x, F f) {
  const auto size = static_cast<size_t>(a.group_size);
  for (size_t begin = 0; begin < x.size(); begin += size) f(Moments(x, begin, begin + size), begin, begin + size);
}

size_t channel_of(const GroupNormAttr& a, size_t element) {
  return element / static_cast<size_t>(a.inner) % static_cast<size_t>(a.channels);
}

}  // namespace

void channel_moments(Call& c) {
  const Wide& x = c.in[0];
  const Channels channels(x.dims);
  const auto n = static_cast<double>(x.size()) / static_cast<double>(channels.count);
  Wide& out = c.out[0];
  for (size_t i = 0; i < x.size(); ++i) out[channels.of(i)] += x[i] / n;
  for (size_t i = 0; i < x.size(); ++i) {
    const double d = x[i] - out[channels.of(i)];
    out[channels.count + channels.of(i)] += d * d / n;
  }
}

void batch_norm(Call& c) {
  const Wide &x = c.in[0], &m = c.in[1];
  const Channels channels(x.dims);
  for (size_t i = 0; i < x.size(); ++i) {
    const size_t k = channels.of(i);
    c.out[0][i] =
        normalised(x[i], m[k], m[channels.count + k], c.attr<BatchNormAttr>().epsilon) * c.in[2][k] + c.in[3][k];
  }
}

void batch_norm_grad_sums(Call& c) {
  const Wide &g = c.in[0], &x = c.in[1], &m = c.in[2];
  const Channels channels(x.dims);
  for (size_t i = 0; i < x.size(); ++i) {
    const size_t k = channels.of(i);
    c.out[0][k] += g[i] * normalised(x[i], m[k], m[channels.count + k], c.attr<BatchNormAttr>().epsilon);
    c.out[0][channels.count + k] += g[i];
  }
}

void batch_norm_grad_input(Call& c) {
  const Wide &g = c.in[0], &x = c.in[1], &m = c.in[2], &scale = c.in[3], &sums = c.in[4];
  const BatchNormAttr& a = c.attr<BatchNormAttr>();
  const Channels channels(x.dims);
  const auto n = static_cast<double>(x.size()) / static_cast<double>(channels.count);
  for (size_t i = 0; i < x.size(); ++i) {
    const size_t k = channels.of(i);
    const double variance = m[channels.count + k], slope = scale[k] / std::sqrt(variance + a.epsilon);
    c.out[0][i] = slope * g[i];
    if (!a.batch) continue;
    const double through_mean = sums[channels.count + k] / n, through_variance = sums[k] / n;
    c.out[0][i] -= slope * (through_mean + normalised(x[i], m[k], variance, a.epsilon) * through_variance);
  }
}

void moments_update(Call& c) {
  const MomentsAttr& a = c.attr<MomentsAttr>();
  Wide &mean = c.in[0], &variance = c.in[1];
  for (size_t k = 0; k < mean.size(); ++k) {
    mean[k] = (1 - a.rate) * mean[k] + a.rate * c.in[2][k];
    variance[k] = (1 - a.rate) * variance[k] + a.rate * a.variance_factor * c.in[2][mean.size() + k];
  }
}

void group_norm(Call& c) {
  const GroupNormAttr& a = c.attr<GroupNormAttr>();
  const Wide& x = c.in[0];
  each_group(a, x, [&](const Moments& m, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const size_t k = channel_of(a, i);
      c.out[0][i] = normalised(x[i], m.mean, m.variance, a.epsilon) * c.in[1][k] + c.in[2][k];
    }
  });
}

void group_norm_grad_input(Call& c) {
  const GroupNormAttr& a = c.attr<GroupNormAttr>();
  const Wide &g = c.in[0], &x = c.in[1], &scale = c.in[2];
  each_group(a, x, [&](const Moments& m, size_t begin, size_t end) {
    const auto n = static_cast<double>(end - begin);
    double through_mean = 0, through_variance = 0;
    for (size_t i = begin; i < end; ++i) {
      const double scaled = g[i] * scale[channel_of(a, i)];
      through_mean += scaled / n;
      through_variance += scaled * normalised(x[i], m.mean, m.variance, a.epsilon) / n;
    }
    for (size_t i = begin; i < end; ++i)
      c.out[0][i] = (g[i] * scale[channel_of(a, i)] - through_mean -
                     normalised(x[i], m.mean, m.variance, a.epsilon) * through_variance) /
                    std::sqrt(m.variance + a.epsilon);
  });
}

void group_norm_grad_sums(Call& c) {
  const GroupNormAttr& a = c.attr<GroupNormAttr>();
  const Wide &g = c.in[0], &x = c.in[1];
  each_group(a, x, [&](const Moments& m, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const size_t k = channel_of(a, i);
      c.out[0][k] += g[i] * normalised(x[i], m.mean, m.variance, a.epsilon);
      c.out[0][static_cast<size_t>(a.channels) + k] += g[i];
    }
  });
}

}  // namespace hw::ref
