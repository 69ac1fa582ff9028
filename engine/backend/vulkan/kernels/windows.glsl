// Pooling and resizing: engine/backend/gpu/ops/windows.h.

struct PlaneSizes {
  int64_t height, width, out_h, out_w;
};
struct PoolTables {
  uint64_t rows, columns, row_owners, column_owners;
  int64_t whole;
};

struct Range {
  int64_t begin, end;
};
Range range_at(uint64_t ranges, int64_t i) { return Range(I64(ranges, 2l * i), I64(ranges, 2l * i + 1l)); }

// In memory: kernels::ResizeTap {low, high, weight}, gpu::ResizeShare {index, weight}.
int64_t tap_low(uint64_t taps, int64_t i) { return I64(taps, 3l * i); }
int64_t tap_high(uint64_t taps, int64_t i) { return I64(taps, 3l * i + 1l); }
double tap_weight(uint64_t taps, int64_t i) { return F64(taps, 3l * i + 2l); }
int64_t share_index(uint64_t shares, int64_t i) { return I64(shares, 2l * i); }
double share_weight(uint64_t shares, int64_t i) { return F64(shares, 2l * i + 1l); }

#ifdef REAL
/// Row-major place of the first maximum of a window, or of the first NaN. `plane`: its first element.
int64_t largest_in(int dtype, uint64_t x, int64_t plane, int64_t width, Range rows, Range columns) {
  int64_t best = rows.begin * width + columns.begin;
  REAL most = load(dtype, x, plane + best);
  for (int64_t h = rows.begin; h < rows.end; ++h)
    for (int64_t w = columns.begin; w < columns.end; ++w) {
      const REAL v = load(dtype, x, plane + h * width + w);
      if (v > most || (is_nan(v) && !is_nan(most))) {
        best = h * width + w;
        most = v;
      }
    }
  return best;
}
#endif

//! kernel Pool
//! real
layout(constant_id = 0) const int AVERAGE = 0;
layout(constant_id = 1) const int X = 1;
layout(constant_id = 2) const int Y = 1;
struct Functor {
  PlaneSizes s;
  PoolTables t;
  uint8_t average;
  uint8_t pad[7];
  Memory x, y;
};
//! functor
void item(int64_t i) {
  const int64_t width = f.s.width;
  const Range rows = range_at(f.t.rows, i / f.s.out_w % f.s.out_h), columns = range_at(f.t.columns, i % f.s.out_w);
  const int64_t plane = i / (f.s.out_h * f.s.out_w) * f.s.height * width;
  if (AVERAGE == 0) {
    const int64_t best = largest_in(X, f.x.data, plane, width, rows, columns);
    store(Y, f.y.data, i, load(X, f.x.data, plane + best));
    return;
  }
  REAL sum = REAL(0);
  for (int64_t h = rows.begin; h < rows.end; ++h)
    for (int64_t w = columns.begin; w < columns.end; ++w) sum += load(X, f.x.data, plane + h * width + w);
  const int64_t window = (rows.end - rows.begin) * (columns.end - columns.begin);
  const int64_t count = f.t.whole > 0l ? f.t.whole : window;
  store(Y, f.y.data, i, sum / REAL(count));
}

//! kernel PoolGrad
//! real
layout(constant_id = 0) const int AVERAGE = 0;
layout(constant_id = 1) const int G = 1;
layout(constant_id = 2) const int X = 1;
layout(constant_id = 3) const int DX = 1;
struct Functor {
  PlaneSizes s;
  PoolTables t;
  uint8_t average;
  uint8_t pad[7];
  Memory g, x, dx;
};
//! functor
void item(int64_t i) {
  const int64_t width = f.s.width, height = f.s.height;
  const int64_t w = i % width, h = i / width % height, n = i / (height * width);
  const Range rows = range_at(f.t.row_owners, h), columns = range_at(f.t.column_owners, w);
  REAL sum = REAL(0);
  for (int64_t r = rows.begin; r < rows.end; ++r)
    for (int64_t c = columns.begin; c < columns.end; ++c) {
      const Range a = range_at(f.t.rows, r), b = range_at(f.t.columns, c);
      const REAL value = load(G, f.g.data, (n * f.s.out_h + r) * f.s.out_w + c);
      if (AVERAGE != 0) {
        const int64_t window = (a.end - a.begin) * (b.end - b.begin);
        const int64_t count = f.t.whole > 0l ? f.t.whole : window;
        sum += value / REAL(count);
      } else if (largest_in(X, f.x.data, n * height * width, width, a, b) == h * width + w) {
        sum += value;
      }
    }
  store(DX, f.dx.data, i, sum);
}

//! kernel Resize
//! real
layout(constant_id = 0) const int NEAREST = 0;
layout(constant_id = 1) const int X = 1;
layout(constant_id = 2) const int Y = 1;
struct Functor {
  PlaneSizes s;
  uint64_t rows, columns;
  uint8_t nearest;
  uint8_t pad[7];
  Memory x, y;
};
//! functor
void item(int64_t i) {
  const int64_t r = i / f.s.out_w % f.s.out_h, c = i % f.s.out_w;
  const int64_t plane = i / (f.s.out_h * f.s.out_w) * f.s.height * f.s.width;
  const int64_t low = plane + tap_low(f.rows, r) * f.s.width, high = plane + tap_high(f.rows, r) * f.s.width;
  const int64_t c_low = tap_low(f.columns, c), c_high = tap_high(f.columns, c);
  if (NEAREST != 0) {
    store(Y, f.y.data, i, load(X, f.x.data, low + c_low));
    return;
  }
  const double r_weight = tap_weight(f.rows, r), c_weight = tap_weight(f.columns, c);
  const REAL down = REAL(r_weight), right = REAL(c_weight);
  const REAL up = REAL(1.0lf - r_weight), left = REAL(1.0lf - c_weight);
  store(Y, f.y.data, i,
        up * (left * load(X, f.x.data, low + c_low) + right * load(X, f.x.data, low + c_high)) +
            down * (left * load(X, f.x.data, high + c_low) + right * load(X, f.x.data, high + c_high)));
}

//! kernel ResizeGrad
//! real
layout(constant_id = 0) const int G = 1;
layout(constant_id = 1) const int DX = 1;
struct Functor {
  PlaneSizes s;
  uint64_t row_begins, column_begins, rows, columns;
  Memory g, dx;
};
//! functor
void item(int64_t i) {
  const int64_t w = i % f.s.width, h = i / f.s.width % f.s.height, n = i / (f.s.height * f.s.width);
  const int64_t row_end = I64(f.row_begins, h + 1l), column_end = I64(f.column_begins, w + 1l);
  REAL sum = REAL(0);
  for (int64_t r = I64(f.row_begins, h); r < row_end; ++r)
    for (int64_t c = I64(f.column_begins, w); c < column_end; ++c) {
      const int64_t at = (n * f.s.out_h + share_index(f.rows, r)) * f.s.out_w + share_index(f.columns, c);
      sum += REAL(share_weight(f.rows, r)) * REAL(share_weight(f.columns, c)) * load(G, f.g.data, at);
    }
  store(DX, f.dx.data, i, sum);
}
