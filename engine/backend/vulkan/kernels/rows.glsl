// Along one axis: engine/backend/gpu/ops/rows.h.

struct Runs {
  int64_t length_, inner;
};
/// Runs::first.
int64_t first_of(int64_t length, int64_t inner, int64_t run) { return run / inner * length * inner + run % inner; }

/// math_f64::log; bodies for REAL = float have it not.
double log_of(double x) {
  if (is_nan(x) || x == inf64()) return x;
  if (x < 0.0lf) return nan64();
  if (x == 0.0lf) return -inf64();
  const bool subnormal = x < 2.2250738585072014e-308lf;
  const uint64_t bits = bits_of(subnormal ? x * 18014398509481984.0lf : x);
  const double mantissa = double_of((bits & 0x000FFFFFFFFFFFFFul) | 0x3FF0000000000000ul);
  const bool high = mantissa > 1.4142135623730951lf;
  const double u = (high ? 0.5lf * mantissa : mantissa) - 1.0lf;
  const double k = double(int(bits >> 52) - 1023 + (high ? 1 : 0));
  const double s = u / (2.0lf + u), z = s * s;
  double p = 1.479819860511658591e-01lf;
  p = p * z + 1.531383769920937332e-01lf;
  p = p * z + 1.818357216161805012e-01lf;
  p = p * z + 2.222219843214978396e-01lf;
  p = p * z + 2.857142874366239149e-01lf;
  p = p * z + 3.999999999940941908e-01lf;
  p = p * z + 6.666666666666735130e-01lf;
  const double half_square = 0.5lf * u * u;
  const double low = s * (half_square + p * z) + k * 1.90821492927058770002e-10lf;
  const double value = k * 6.93147180369123816490e-01lf - ((half_square - low) - u);
  return value - (subnormal ? 37.429947750237048lf : 0.0lf);
}

//! kernel Softmax
//! real
//! bodies exp_nonpositive
layout(constant_id = 0) const bool LOG = false;
layout(constant_id = 1) const int X = 1;
layout(constant_id = 2) const int Y = 1;
struct Functor {
  Runs runs;
  uint8_t log, pad[7];
  Memory x, y;
};
//! functor
void item(int64_t run) {
  const int64_t length = f.runs.length_, inner = f.runs.inner;
  const int64_t first = first_of(length, inner, run), end = first + length * inner;
  REAL most = REAL(-inf64());
  for (int64_t e = first; e < end; e += inner) {
    const REAL v = load(X, f.x.data, e);
    most = v > most ? v : most;
  }
  double sum = 0.0lf;
  for (int64_t e = first; e < end; e += inner) sum += double(hw_exp_nonpositive(load(X, f.x.data, e) - most));
  const REAL scale = REAL(1.0lf / sum), offset = REAL(log_of(sum));
  for (int64_t e = first; e < end; e += inner) {
    const REAL shifted = load(X, f.x.data, e) - most;
    store(Y, f.y.data, e, LOG ? shifted - offset : hw_exp_nonpositive(shifted) * scale);
  }
}

//! kernel SoftmaxGrad
//! real
//! bodies exp_nonpositive
layout(constant_id = 0) const bool LOG = false;
layout(constant_id = 1) const int G = 1;
layout(constant_id = 2) const int Y = 1;
layout(constant_id = 3) const int DX = 1;
struct Functor {
  Runs runs;
  uint8_t log, pad[7];
  Memory g, y, dx;
};
//! functor
void item(int64_t run) {
  const int64_t length = f.runs.length_, inner = f.runs.inner;
  const int64_t first = first_of(length, inner, run), end = first + length * inner;
  double total = 0.0lf;
  for (int64_t e = first; e < end; e += inner) {
    const double g = load64(G, f.g.data, e);
    total += LOG ? g : g * load64(Y, f.y.data, e);
  }
  const REAL sum = REAL(total);
  for (int64_t e = first; e < end; e += inner) {
    const REAL u = load(G, f.g.data, e), v = load(Y, f.y.data, e);
    store(DX, f.dx.data, e, LOG ? u - hw_exp_nonpositive(v) * sum : v * (u - sum));
  }
}

//! kernel Argmax
layout(constant_id = 0) const int X = 1;
struct Functor {
  Runs runs;
  Memory x;
  uint64_t y;
};
//! functor
void item(int64_t run) {
  const int64_t length = f.runs.length_, inner = f.runs.inner, first = first_of(length, inner, run);
  double most = load64(X, f.x.data, first);
  int64_t best = 0l;
  for (int64_t k = 1l; k < length; ++k) {
    const double next = load64(X, f.x.data, first + k * inner);
    if (!is_nan(most) && (is_nan(next) || next > most)) {
      most = next;
      best = k;
    }
  }
  I64(f.y, run) = best;
}

//! kernel GatherElements
layout(constant_id = 0) const int INDEX = 10;
layout(constant_id = 1) const int Y = 1;  // and x's
struct Functor {
  Runs runs;
  Memory x, index, y;
};
//! functor
void item(int64_t run) {
  const int64_t length = f.runs.length_, inner = f.runs.inner, k = load_whole(INDEX, f.index.data, run);
  if (k < 0l || k >= length)
    store(Y, f.y.data, run, nan64());
  else
    copy_element(Y, f.y.data, run, f.x.data, first_of(length, inner, run) + k * inner);
}

//! kernel GatherElementsGrad
layout(constant_id = 0) const int INDEX = 10;
layout(constant_id = 1) const int DX = 1;  // and g's
struct Functor {
  Runs runs;
  Memory g, index, dx;
};
//! functor
void item(int64_t run) {
  const int64_t length = f.runs.length_, inner = f.runs.inner, k = load_whole(INDEX, f.index.data, run);
  if (k >= 0l && k < length)
    copy_element(DX, f.dx.data, first_of(length, inner, run) + k * inner, f.g.data, run);
}
