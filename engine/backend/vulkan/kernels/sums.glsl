//! include exact_sums.glsl
// Sums of many elements in f64: engine/backend/gpu/ops/sums.h. A kernel for each F of SumParts<Join, F>.

const int kAddUp = 0, kKeepLargest = 1, kKeepSmallest = 2;

double start(int join) { return join == kAddUp ? 0.0lf : join == kKeepLargest ? -inf64() : inf64(); }
double joined(int join, double a, double b) {
  if (join == kAddUp) return a + b;
  return (join == kKeepLargest ? b > a : b < a) || is_nan(b) ? b : a;
}

/// SumParts<Join, F>; its term is F. F's constants begin with 2.
#define SUM_PARTS(F)                               \
  layout(constant_id = 0) const int JOIN = 0;      \
  layout(constant_id = 1) const bool ALONG = true; \
  struct Functor {                                 \
    F term;                                        \
    int64_t outputs, length_, parts;               \
    uint8_t along, pad[7];                         \
    uint64_t made;                                 \
  };

/// Part i, of `double term(int64_t o, int64_t k)`.
#define SUM_ITEM                                                                               \
  void item(int64_t i) {                                                                       \
    const int64_t outputs = f.outputs, length = f.length_, parts = f.parts;                    \
    const int64_t o = ALONG ? i / parts : i % outputs, part = ALONG ? i % parts : i / outputs; \
    double sum = start(JOIN);                                                                  \
    for (int64_t k = part; k < length; k += parts) sum = joined(JOIN, sum, term(o, k));        \
    F64(f.made, part * outputs + o) = sum;                                                     \
  }

struct Element {
  Memory x;
  StridedIndex base, along;
};

// The terms of norms.h.
struct GroupShape {
  int64_t size, channels, inner;
};
// GroupStatistics, ChannelFactors<T>: both begin with these.
double mean_at(uint64_t statistics) { return F64(statistics, 0); }
double slope_at(uint64_t statistics) { return F64(statistics, 1); }

//! kernel SumParts_Element
layout(constant_id = 2) const int X = 1;
layout(constant_id = 3) const int BASE_AXES = 1;
layout(constant_id = 4) const int ALONG_AXES = 1;
SUM_PARTS(Element)
//! functor
STRIDED(base, f.term.base, BASE_AXES)
STRIDED(along, f.term.along, ALONG_AXES)
double term(int64_t o, int64_t k) { return load64(X, f.term.x.data, base(o) + along(k)); }
SUM_ITEM

//! kernel SumParts_Square
layout(constant_id = 2) const int X = 1;
struct Square {
  Memory x;
};
SUM_PARTS(Square)
//! functor
double term(int64_t o, int64_t k) {
  const double v = load64(X, f.term.x.data, k);
  return v * v;
}
SUM_ITEM

//! kernel SumParts_Bad
layout(constant_id = 2) const int X = 1;
struct Bad {
  Memory x;
};
SUM_PARTS(Bad)
//! functor
double term(int64_t o, int64_t k) { return is_finite(load64(X, f.term.x.data, k)) ? 0.0lf : 1.0lf; }
SUM_ITEM

//! kernel SumParts_Deviation
layout(constant_id = 2) const int X = 1;
layout(constant_id = 3) const int BASE_AXES = 1;
layout(constant_id = 4) const int ALONG_AXES = 1;
struct Deviation {
  Element x;
  uint64_t sums;
  double count;
};
SUM_PARTS(Deviation)
//! functor
STRIDED(base, f.term.x.base, BASE_AXES)
STRIDED(along, f.term.x.along, ALONG_AXES)
double term(int64_t o, int64_t k) {
  const double d = load64(X, f.term.x.x.data, base(o) + along(k)) - F64(f.term.sums, o) / f.term.count;
  return d * d;
}
SUM_ITEM

//! kernel SumParts_BatchNormSum
layout(constant_id = 2) const int G = 1;
layout(constant_id = 3) const int G_BASE_AXES = 1;
layout(constant_id = 4) const int G_ALONG_AXES = 1;
layout(constant_id = 5) const int X = 1;
layout(constant_id = 6) const int X_BASE_AXES = 1;
layout(constant_id = 7) const int X_ALONG_AXES = 1;
layout(constant_id = 8) const int FACTORS_BYTES = 32;  // of ChannelFactors<T>
struct BatchNormSum {
  int64_t channels;
  Element g, x;
  uint64_t factors;
};
SUM_PARTS(BatchNormSum)
//! functor
STRIDED(g_base, f.term.g.base, G_BASE_AXES)
STRIDED(g_along, f.term.g.along, G_ALONG_AXES)
STRIDED(x_base, f.term.x.base, X_BASE_AXES)
STRIDED(x_along, f.term.x.along, X_ALONG_AXES)
double term(int64_t o, int64_t k) {
  const int64_t channel = o % f.term.channels;
  const double value = load64(G, f.term.g.x.data, g_base(channel) + g_along(k));
  if (o >= f.term.channels) return value;
  const uint64_t factors = f.term.factors + uint64_t(channel) * uint64_t(FACTORS_BYTES);
  const double x = load64(X, f.term.x.x.data, x_base(channel) + x_along(k));
  return value * ((x - mean_at(factors)) * slope_at(factors));
}
SUM_ITEM

//! kernel SumParts_GroupGradSum
layout(constant_id = 2) const int G = 1;
layout(constant_id = 3) const int X = 1;
layout(constant_id = 4) const int SCALE = 1;
layout(constant_id = 5) const bool DEVIATION = false;
struct GroupGradSum {
  GroupShape s;
  Memory g, x, scale;
  uint64_t groups;
  uint8_t deviation, pad[7];
};
SUM_PARTS(GroupGradSum)
//! functor
double term(int64_t o, int64_t k) {
  const int64_t i = o * f.term.s.size + k, channel = i / f.term.s.inner % f.term.s.channels;
  const double value = load64(G, f.term.g.data, i) * load64(SCALE, f.term.scale.data, channel);
  if (!DEVIATION) return value;
  return value * (load64(X, f.term.x.data, i) - mean_at(f.term.groups + 16ul * uint64_t(o)));
}
SUM_ITEM

//! kernel SumParts_GroupChannelSum
layout(constant_id = 2) const int G = 1;
layout(constant_id = 3) const int X = 1;
struct GroupChannelSum {
  GroupShape s;
  Memory g, x;
  uint64_t groups;
};
SUM_PARTS(GroupChannelSum)
//! functor
double term(int64_t o, int64_t k) {
  const int64_t channels = f.term.s.channels, inner = f.term.s.inner;
  const int64_t i = (k / inner * channels + o % channels) * inner + k % inner;
  const double value = load64(G, f.term.g.data, i);
  if (o >= channels) return value;
  const uint64_t group = f.term.groups + 16ul * uint64_t(i / f.term.s.size);
  return value * ((load64(X, f.term.x.data, i) - mean_at(group)) * slope_at(group));
}
SUM_ITEM

//! kernel SumParts_FiniteMagnitude
layout(constant_id = 2) const int X = 1;
struct FiniteMagnitude {
  Memory x;
};
SUM_PARTS(FiniteMagnitude)
//! functor
double term(int64_t o, int64_t k) {
  const double v = load64(X, f.term.x.data, k);
  return is_finite(v) ? abs(v) : 0.0lf;
}
SUM_ITEM

//! kernel SumParts_CountLosses
layout(constant_id = 2) const int STORED = 1;
struct CountLosses {
  ExactSums from;
  Memory stored;
  uint64_t touched;
};
SUM_PARTS(CountLosses)
//! functor
double term(int64_t count, int64_t k) {
  if (U8(f.term.touched, k / 16l) == uint8_t(0)) return 0.0lf;
  if (count == 0l) return 1.0lf;
  const double sum = value_at(f.term.from, k), left = load64(STORED, f.term.stored.data, k);
  if (count == 1l) return (is_nan(sum) || sum != 0.0lf) && left == 0.0lf ? 1.0lf : 0.0lf;
  return is_finite(sum) && !is_finite(left) ? 1.0lf : 0.0lf;
}
SUM_ITEM

//! kernel SumParts_TangentBound
layout(constant_id = 2) const int G = 1;
layout(constant_id = 3) const int U = 1;  // dtype of X
layout(constant_id = 4) const int D = 3;
struct TangentBound {
  Memory g;
  uint64_t u;
  int64_t width;
  double steepest;
};
SUM_PARTS(TangentBound)
//! functor
double term(int64_t o, int64_t k) {
  const int64_t first = k / f.term.width * int64_t(D);
  double sum = 0.0lf;
  for (int d = 0; d < D; ++d) sum += abs(load64(U, f.term.u, first + int64_t(d)));
  const double bound = abs(load64(G, f.term.g.data, k)) * f.term.steepest * sum;
  return is_finite(bound) ? bound : 0.0lf;
}
SUM_ITEM

//! kernel JoinParts
layout(constant_id = 0) const int JOIN = 0;
struct Functor {
  uint64_t parts;
  int64_t outputs, count;
  uint64_t result;
};
//! functor
void item(int64_t i) {
  double sum = start(JOIN);
  for (int64_t k = 0l; k < f.count; ++k) sum = joined(JOIN, sum, F64(f.parts, k * f.outputs + i));
  F64(f.result, i) = sum;
}

//! kernel StoreSums
layout(constant_id = 0) const int Y = 1;
struct Functor {
  uint64_t sums;
  Memory y;
};
//! functor
void item(int64_t i) { store(Y, f.y.data, i, F64(f.sums, i)); }

//! kernel NormOf
layout(constant_id = 0) const int Y = 1;
struct Functor {
  uint64_t squares, factors;
  int64_t count;
  Memory y;
};
//! functor
void item(int64_t i) {
  double total = 0.0lf;
  for (int64_t k = 0l; k < f.count; ++k) total += F64(f.factors, k) * F64(f.factors, k) * F64(f.squares, k);
  store(Y, f.y.data, 0l, sqrt(total));
}
