// Batch, layer and group normalisation: engine/backend/gpu/ops/norms.h; their sums stand in sums.glsl.

#ifdef REAL
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer ChannelFactorsAt {
  double mean, slope;
  REAL scale, offset, through_mean, through_variance;
};
#ifdef REAL_IS_F64
const uint64_t kChannelFactorsBytes = 48ul;
#else
const uint64_t kChannelFactorsBytes = 32ul;
#endif
ChannelFactorsAt channel_factors(uint64_t factors, int64_t k) {
  return ChannelFactorsAt(factors + kChannelFactorsBytes * uint64_t(k));
}
#endif

layout(buffer_reference, scalar, buffer_reference_align = 8) buffer GroupStatisticsAt { double mean, slope; };
GroupStatisticsAt group_statistics(uint64_t groups, int64_t k) {
  return GroupStatisticsAt(groups + 16ul * uint64_t(k));
}

struct GroupShape {
  int64_t size, channels, inner;
};

//! kernel StoreMoments
layout(constant_id = 0) const int Y = 1;
struct Functor {
  uint64_t sums, squares;
  double count;
  int64_t channels;
  Memory y;
};
//! functor
void item(int64_t i) {
  const double sum = i < f.channels ? F64(f.sums, i) : F64(f.squares, i - f.channels);
  store(Y, f.y.data, i, f.count > 0.0lf ? sum / f.count : 0.0lf);
}

//! kernel MakeChannelFactors
//! real
layout(constant_id = 0) const int MOMENTS = 1;
layout(constant_id = 1) const int SCALE = 1;
layout(constant_id = 2) const int BIAS = 1;
layout(constant_id = 3) const int SUMS = 1;
struct Functor {
  Memory moments, scale, bias, sums;
  int64_t channels;
  double epsilon, count;
  uint64_t made;
};
//! functor
void item(int64_t k) {
  const double slope = 1.0lf / sqrt(load64(MOMENTS, f.moments.data, f.channels + k) + f.epsilon);
  REAL scale = REAL(0), offset = REAL(0), through_mean = REAL(0), through_variance = REAL(0);
  if (f.scale.data != 0ul) scale = REAL(load64(SCALE, f.scale.data, k) * slope);
  if (f.bias.data != 0ul) offset = REAL(load64(BIAS, f.bias.data, k));
  if (f.sums.data != 0ul) {
    through_mean = REAL(load64(SUMS, f.sums.data, f.channels + k) / f.count);
    through_variance = REAL(slope * (load64(SUMS, f.sums.data, k) / f.count));
  }
  ChannelFactorsAt made = channel_factors(f.made, k);
  made.mean = load64(MOMENTS, f.moments.data, k);
  made.slope = slope;
  made.scale = scale;
  made.offset = offset;
  made.through_mean = through_mean;
  made.through_variance = through_variance;
}

//! kernel BatchNorm
//! real
layout(constant_id = 0) const int X = 1;
layout(constant_id = 1) const int Y = 1;
struct Functor {
  int64_t channels, inner;
  Memory x;
  uint64_t factors;
  Memory y;
};
//! functor
void item(int64_t i) {
  ChannelFactorsAt of = channel_factors(f.factors, i / f.inner % f.channels);
  store(Y, f.y.data, i, (load(X, f.x.data, i) - REAL(of.mean)) * of.scale + of.offset);
}

//! kernel BatchNormGradInput
//! real
layout(constant_id = 0) const int G = 1;
layout(constant_id = 1) const int X = 1;
layout(constant_id = 2) const int DX = 1;
struct Functor {
  int64_t channels, inner;
  Memory g, x;
  uint64_t factors;
  Memory dx;
};
//! functor
void item(int64_t i) {
  ChannelFactorsAt of = channel_factors(f.factors, i / f.inner % f.channels);
  const REAL g = load(G, f.g.data, i);
  if (f.x.data == 0ul) {
    store(DX, f.dx.data, i, of.scale * g);
    return;
  }
  const REAL deviation = load(X, f.x.data, i) - REAL(of.mean);
  store(DX, f.dx.data, i, of.scale * (g - of.through_mean - deviation * of.through_variance));
}

//! kernel MakeGroupStatistics
struct Functor {
  uint64_t sums, squares;
  double count, epsilon;
  uint64_t made;
};
//! functor
void item(int64_t k) {
  GroupStatisticsAt made = group_statistics(f.made, k);
  made.mean = F64(f.sums, k) / f.count;
  made.slope = 1.0lf / sqrt(F64(f.squares, k) / f.count + f.epsilon);
}

//! kernel GroupNorm
//! real
layout(constant_id = 0) const int X = 1;
layout(constant_id = 1) const int SCALE = 1;
layout(constant_id = 2) const int BIAS = 1;
layout(constant_id = 3) const int Y = 1;
struct Functor {
  GroupShape s;
  Memory x, scale, bias;
  uint64_t groups;
  Memory y;
};
//! functor
void item(int64_t i) {
  GroupStatisticsAt group = group_statistics(f.groups, i / f.s.size);
  const int64_t k = i / f.s.inner % f.s.channels;
  const REAL factor = REAL(group.slope * load64(SCALE, f.scale.data, k));
  store(Y, f.y.data, i, (load(X, f.x.data, i) - REAL(group.mean)) * factor + load(BIAS, f.bias.data, k));
}

//! kernel GroupNormGradInput
layout(constant_id = 0) const int G = 1;
layout(constant_id = 1) const int X = 1;
layout(constant_id = 2) const int SCALE = 1;
layout(constant_id = 3) const int DX = 1;
struct Functor {
  GroupShape s;
  Memory g, x, scale;
  uint64_t groups, scaled, deviations;
  Memory dx;
};
//! functor
void item(int64_t i) {
  const int64_t o = i / f.s.size;
  GroupStatisticsAt group = group_statistics(f.groups, o);
  const double n = double(f.s.size), through_variance = F64(f.deviations, o) * group.slope * group.slope / n;
  const double value = load64(G, f.g.data, i) * load64(SCALE, f.scale.data, i / f.s.inner % f.s.channels);
  const double deviation = load64(X, f.x.data, i) - group.mean;
  store(DX, f.dx.data, i, group.slope * (value - F64(f.scaled, o) / n - deviation * through_variance));
}
