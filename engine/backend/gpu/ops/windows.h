// Pooling and resizing. Which windows an element belongs to is worked out axis by axis on the host, so that gradients
// are gathered, in a fixed order.
#pragma once

#include <algorithm>

#include "engine/backend/gpu/ops/map.h"
#include "engine/kernels/resize_taps.h"

namespace hw::gpu {

struct Range {
  int64_t begin, end;
};

/// Planes [.., H, W] of x, of `height` · `width`, and of y.
struct PlaneSizes {
  int64_t height, width, out_h, out_w;
};
inline PlaneSizes plane_sizes(const Dims& x, const Dims& y) {
  return {x[2], x[3], y[2], y[3]};
}
/// Elements of a window, where windows lie side by side.
inline int64_t window_turns(const PlaneSizes& s) {
  const auto share = [](int64_t of, int64_t by) { return by > 0 ? (of + by - 1) / by : 0; };
  return share(s.height, s.out_h) * share(s.width, s.out_w);
}

/// windows: by element of y, cut to the picture; owners: by element of x, the windows it lies in.
struct PoolTables {
  const Range *rows, *columns, *row_owners, *column_owners;
  int64_t whole;  // what an average divides by; 0: the window
};

inline std::vector<Range> windows_of(const PoolAttr& a, size_t axis, int64_t size, int64_t count) {
  std::vector<Range> windows;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t begin = i * a.stride[axis] - a.pad_begin[axis];
    if (a.adaptive)
      windows.push_back({i * size / count, ((i + 1) * size + count - 1) / count});
    else
      windows.push_back({std::max<int64_t>(begin, 0), std::min(begin + a.kernel[axis], size)});
  }
  return windows;
}
/// Begins and ends of windows never fall, so that an element's windows are neighbours.
inline std::vector<Range> owners_of(const std::vector<Range>& windows, int64_t size) {
  std::vector<Range> owners;
  for (int64_t h = 0; h < size; ++h) {
    Range r{0, 0};
    for (int64_t i = 0; i < static_cast<int64_t>(windows.size()); ++i) {
      const Range& w = windows[static_cast<size_t>(i)];
      if (h < w.begin || h >= w.end) continue;
      if (r.end == 0) r.begin = i;
      r.end = i + 1;
    }
    owners.push_back(r);
  }
  return owners;
}

/// Row-major place of the first maximum of a window, or of the first NaN. `plane`: its first element.
template <class T>
HW_BODY int64_t largest_in(const kernels::Source& x, int64_t plane, int64_t width, Range rows, Range columns) {
  int64_t best = rows.begin * width + columns.begin;
  T most = x.at<T>(plane + best);
  for (int64_t h = rows.begin; h < rows.end; ++h)
    for (int64_t w = columns.begin; w < columns.end; ++w) {
      const T v = x.at<T>(plane + h * width + w);
      if (v > most || (v != v && most == most)) {
        best = h * width + w;
        most = v;
      }
    }
  return best;
}

template <class T>
struct Pool {
  PlaneSizes s;
  PoolTables t;
  bool average;
  kernels::Source x;
  kernels::Target y;
  HW_BODY void operator()(int64_t i) const {
    const Range rows = t.rows[i / s.out_w % s.out_h], columns = t.columns[i % s.out_w];
    const int64_t plane = i / (s.out_h * s.out_w) * s.height * s.width;
    if (!average) return y.put(i, x.at<T>(plane + largest_in<T>(x, plane, s.width, rows, columns)));
    T sum = 0;
    for (int64_t h = rows.begin; h < rows.end; ++h)
      for (int64_t w = columns.begin; w < columns.end; ++w) sum += x.at<T>(plane + h * s.width + w);
    const int64_t count = t.whole > 0 ? t.whole : (rows.end - rows.begin) * (columns.end - columns.begin);
    y.put(i, sum / static_cast<T>(count));
  }

  HW_REAL_KERNEL(T, Pool, average, x.dtype, y.dtype)
  int64_t turns() const { return window_turns(s); }
};

/// x: max only.
template <class T>
struct PoolGrad {
  PlaneSizes s;
  PoolTables t;
  bool average;
  kernels::Source g, x;
  kernels::Target dx;
  HW_BODY void operator()(int64_t i) const {
    const int64_t w = i % s.width, h = i / s.width % s.height, n = i / (s.height * s.width);
    const Range rows = t.row_owners[h], columns = t.column_owners[w];
    T sum = 0;
    for (int64_t r = rows.begin; r < rows.end; ++r)
      for (int64_t c = columns.begin; c < columns.end; ++c) {
        const Range a = t.rows[r], b = t.columns[c];
        const T value = g.at<T>((n * s.out_h + r) * s.out_w + c);
        if (average) {
          const int64_t count = t.whole > 0 ? t.whole : (a.end - a.begin) * (b.end - b.begin);
          sum += value / static_cast<T>(count);
        } else if (largest_in<T>(x, n * s.height * s.width, s.width, a, b) == h * s.width + w) {
          sum += value;
        }
      }
    dx.put(i, sum);
  }

  HW_REAL_KERNEL(T, PoolGrad, average, g.dtype, x.dtype, dx.dtype)
  int64_t turns() const { return window_turns(s); }
};

template <class Launcher>
void plan_pool(OpContext& c) {
  const PoolAttr& a = c.attr<PoolAttr>();
  const bool average = c.op() == Op::avg_pool || c.op() == Op::avg_pool_grad;
  const bool gradient = c.op() == Op::max_pool_grad || c.op() == Op::avg_pool_grad;
  const PlaneSizes s = gradient ? plane_sizes(c.out().dims, c.in(0).dims) : plane_sizes(c.in(0).dims, c.out().dims);
  const std::vector<Range> rows = windows_of(a, 0, s.height, s.out_h), columns = windows_of(a, 1, s.width, s.out_w);
  const PoolTables t{c.constant(rows), c.constant(columns), c.constant(owners_of(rows, s.height)),
                     c.constant(owners_of(columns, s.width)),
                     a.count_padding && !a.adaptive ? a.kernel[0] * a.kernel[1] : 0};
  with_real(c.compute(), [&](auto real) {
    using T = decltype(real);
    if (gradient)
      map<Launcher>(c, c.out_size(), PoolGrad<T>{s, t, average, c.read(0), c.read(average ? 0 : 1), c.write()});
    else
      map<Launcher>(c, c.out_size(), Pool<T>{s, t, average, c.read(0), c.write()});
  });
}

// ---- resize

/// One of the elements of y that an element of x goes into.
struct ResizeShare {
  int64_t index;
  double weight;
};

template <class T>
struct Resize {
  PlaneSizes s;
  const kernels::ResizeTap *rows, *columns;
  bool nearest;
  kernels::Source x;
  kernels::Target y;
  HW_BODY void operator()(int64_t i) const {
    const kernels::ResizeTap r = rows[i / s.out_w % s.out_h], c = columns[i % s.out_w];
    const int64_t plane = i / (s.out_h * s.out_w) * s.height * s.width;
    const int64_t low = plane + r.low * s.width, high = plane + r.high * s.width;
    if (nearest) return y.put(i, x.at<T>(low + c.low));
    const T down = static_cast<T>(r.weight), right = static_cast<T>(c.weight);
    const T up = static_cast<T>(1 - r.weight), left = static_cast<T>(1 - c.weight);
    y.put(i, up * (left * x.at<T>(low + c.low) + right * x.at<T>(low + c.high)) +
                 down * (left * x.at<T>(high + c.low) + right * x.at<T>(high + c.high)));
  }

  HW_REAL_KERNEL(T, Resize, nearest, x.dtype, y.dtype)
};

/// Shares of element h lie in [begins[h], begins[h + 1]).
template <class T>
struct ResizeGrad {
  PlaneSizes s;
  const int64_t *row_begins, *column_begins;
  const ResizeShare *rows, *columns;
  kernels::Source g;
  kernels::Target dx;
  HW_BODY void operator()(int64_t i) const {
    const int64_t w = i % s.width, h = i / s.width % s.height, n = i / (s.height * s.width);
    T sum = 0;
    for (int64_t r = row_begins[h]; r < row_begins[h + 1]; ++r)
      for (int64_t c = column_begins[w]; c < column_begins[w + 1]; ++c)
        sum += static_cast<T>(rows[r].weight) * static_cast<T>(columns[c].weight) *
               g.at<T>((n * s.out_h + rows[r].index) * s.out_w + columns[c].index);
    dx.put(i, sum);
  }

  HW_REAL_KERNEL(T, ResizeGrad, g.dtype, dx.dtype)
  int64_t turns() const { return 4 * (s.out_h / s.height + 1) * (s.out_w / s.width + 1); }
};

struct ResizeShares {
  std::vector<int64_t> begins;
  std::vector<ResizeShare> shares;

  ResizeShares(const std::vector<kernels::ResizeTap>& taps, int64_t in, bool nearest) {
    std::vector<std::vector<ResizeShare>> of(static_cast<size_t>(in));
    for (size_t i = 0; i < taps.size(); ++i) {
      const auto index = static_cast<int64_t>(i);
      of[static_cast<size_t>(taps[i].low)].push_back({index, 1 - taps[i].weight});
      if (!nearest) of[static_cast<size_t>(taps[i].high)].push_back({index, taps[i].weight});
    }
    begins.push_back(0);
    for (const std::vector<ResizeShare>& own : of) {
      shares.insert(shares.end(), own.begin(), own.end());
      begins.push_back(static_cast<int64_t>(shares.size()));
    }
  }
};

template <class Launcher>
void plan_resize(OpContext& c) {
  const ResizeAttr& a = c.attr<ResizeAttr>();
  const bool gradient = c.op() == Op::resize_grad, nearest = a.kind == ResizeAttr::Kind::nearest;
  const PlaneSizes s = gradient ? plane_sizes(c.out().dims, c.in(0).dims) : plane_sizes(c.in(0).dims, c.out().dims);
  const std::vector<kernels::ResizeTap> rows = kernels::resize_taps(a, s.height, s.out_h),
                                        columns = kernels::resize_taps(a, s.width, s.out_w);
  with_real(c.compute(), [&](auto real) {
    using T = decltype(real);
    if (!gradient)
      return map<Launcher>(c, c.out_size(),
                           Resize<T>{s, c.constant(rows), c.constant(columns), nearest, c.read(0), c.write()});
    const ResizeShares down(rows, s.height, nearest), across(columns, s.width, nearest);
    map<Launcher>(c, c.out_size(),
                  ResizeGrad<T>{s, c.constant(down.begins), c.constant(across.begins), c.constant(down.shares),
                                c.constant(across.shares), c.read(0), c.write()});
  });
}

}  // namespace hw::gpu

/// The planners above, compiled for a launcher.
#define HW_WINDOWS_PLANNERS(Launcher)            \
  template void plan_pool<Launcher>(OpContext&); \
  template void plan_resize<Launcher>(OpContext&);
