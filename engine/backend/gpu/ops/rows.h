// Along one axis: softmax and its gradient, argmax, picks by index.
#pragma once

#include <limits>

#include "engine/backend/gpu/ops/layout_ops.h"
#include "engine/kernels/elementwise.h"

namespace hw::gpu {

/// Run i of a tensor [outer, length, inner]: its elements are `inner` apart.
struct Runs {
  int64_t length, inner;
  HW_BODY int64_t first(int64_t run) const { return run / inner * length * inner + run % inner; }
};
inline Runs runs_of(const Dims& dims, int axis) {
  return {dims[static_cast<size_t>(axis)], inner_of(dims, axis)};
}

/// One run. Sums in f64, in order.
template <class T>
struct Softmax {
  Runs runs;
  bool log;
  kernels::Source x;
  kernels::Target y;
  HW_BODY void operator()(int64_t run) const {
    const int64_t first = runs.first(run), end = first + runs.length * runs.inner;
    T most = -std::numeric_limits<T>::infinity();
    for (int64_t e = first; e < end; e += runs.inner) {
      const T v = x.at<T>(e);
      most = v > most ? v : most;
    }
    double sum = 0;
    for (int64_t e = first; e < end; e += runs.inner)
      sum += static_cast<double>(kernels::exp_nonpositive(x.at<T>(e) - most));
    const T scale = static_cast<T>(1 / sum), offset = static_cast<T>(std::log(sum));
    for (int64_t e = first; e < end; e += runs.inner) {
      const T shifted = x.at<T>(e) - most;
      y.put(e, log ? shifted - offset : kernels::exp_nonpositive(shifted) * scale);
    }
  }

  HW_REAL_KERNEL(T, Softmax, log, x.dtype, y.dtype)
  int64_t turns() const { return 3 * runs.length; }
};

/// (g, y)
template <class T>
struct SoftmaxGrad {
  Runs runs;
  bool log;
  kernels::Source g, y;
  kernels::Target dx;
  HW_BODY void operator()(int64_t run) const {
    const int64_t first = runs.first(run), end = first + runs.length * runs.inner;
    double total = 0;
    for (int64_t e = first; e < end; e += runs.inner)
      total += log ? g.at<double>(e) : g.at<double>(e) * y.at<double>(e);
    const T sum = static_cast<T>(total);
    for (int64_t e = first; e < end; e += runs.inner) {
      const T u = g.at<T>(e), v = y.at<T>(e);
      dx.put(e, log ? u - kernels::exp_nonpositive(v) * sum : v * (u - sum));
    }
  }

  HW_REAL_KERNEL(T, SoftmaxGrad, log, g.dtype, y.dtype, dx.dtype)
  int64_t turns() const { return 2 * runs.length; }
};

struct Argmax {
  Runs runs;
  kernels::Source x;
  int64_t* y;
  HW_BODY void operator()(int64_t run) const {
    const int64_t first = runs.first(run);
    double most = x.at<double>(first);
    int64_t best = 0;
    for (int64_t k = 1; k < runs.length; ++k) {
      const double next = x.at<double>(first + k * runs.inner);
      if (most == most && (next != next || next > most)) {
        most = next;
        best = k;
      }
    }
    y[run] = best;
  }

  HW_KERNEL(Argmax, x.dtype)
  int64_t turns() const { return runs.length; }
};

template <class Launcher>
void plan_softmax(OpContext& c) {
  if (c.op() == Op::argmax) {
    const Runs runs = runs_of(c.in(0).dims, c.attr<AxisAttr>().axis);
    return map<Launcher>(c, c.out_size(), Argmax{runs, c.read(0), static_cast<int64_t*>(c.write().data)});
  }
  const SoftmaxAttr& a = c.attr<SoftmaxAttr>();
  const Runs runs = runs_of(c.out().dims, a.axis);
  const int64_t count = runs.length > 0 ? c.out_size() / runs.length : 0;
  with_real(c.compute(), [&](auto real) {
    using T = decltype(real);
    if (c.op() == Op::softmax)
      map<Launcher>(c, count, Softmax<T>{runs, a.log, c.read(0), c.write()});
    else
      map<Launcher>(c, count, SoftmaxGrad<T>{runs, a.log, c.read(0), c.read(1), c.write()});
  });
  c.info.accumulate = DType::f64;
}

/// x at the index of its run; NaN outside.
struct GatherElements {
  Runs runs;
  kernels::Source x, index;
  kernels::Target y;
  HW_BODY void operator()(int64_t run) const {
    const int64_t k = index.whole_at(run);
    if (k < 0 || k >= runs.length) return y.put(run, std::numeric_limits<double>::quiet_NaN());
    dispatch(y.dtype, [&](auto stored) {
      using Raw = typename decltype(stored)::Raw;
      static_cast<Raw*>(y.data)[run] = static_cast<const Raw*>(x.data)[runs.first(run) + k * runs.inner];
    });
  }

  HW_KERNEL(GatherElements, index.dtype, y.dtype)
};

/// g of its run at the index, into zeros.
struct GatherElementsGrad {
  Runs runs;
  kernels::Source g, index;
  kernels::Target dx;
  HW_BODY void operator()(int64_t run) const {
    const int64_t k = index.whole_at(run);
    if (k < 0 || k >= runs.length) return;
    dispatch(dx.dtype, [&](auto stored) {
      using Raw = typename decltype(stored)::Raw;
      static_cast<Raw*>(dx.data)[runs.first(run) + k * runs.inner] = static_cast<const Raw*>(g.data)[run];
    });
  }

  HW_KERNEL(GatherElementsGrad, index.dtype, dx.dtype)
};

template <class Launcher>
void plan_gather_elements(OpContext& c) {
  const int axis = c.attr<AxisAttr>().axis;
  if (c.op() == Op::gather_elements)
    return map<Launcher>(c, c.out_size(), GatherElements{runs_of(c.in(0).dims, axis), c.read(0), c.read(1), c.write()});
  c.clear(c.write().data, byte_count(c.out().dtype, c.out_size()));
  map<Launcher>(c, c.in_size(0), GatherElementsGrad{runs_of(c.out().dims, axis), c.read(0), c.read(1), c.write()});
}

}  // namespace hw::gpu

/// The planners above, compiled for a launcher.
#define HW_ROWS_PLANNERS(Launcher)                  \
  template void plan_softmax<Launcher>(OpContext&); \
  template void plan_gather_elements<Launcher>(OpContext&);
