// softmax, its gradient and argmax: slice by slice, [length of the axis, inner], read as f32 (f64); sums in f64.
#include <cmath>
#include <limits>

#include "engine/backend/cpu/kernels/axis_split.h"
#include "engine/backend/cpu/kernels/block_io.h"
#include "engine/kernels/elementwise.h"

namespace hw::cpu {
namespace {

// Calls f(slice of x, slice of y, first element of the slice in the tile) with both slices as T; `second` may be null.
template <class T, class F>
void each_slice(const AxisSplit& split, int64_t outer, std::byte* scratch, const Operand& first, const Operand* second,
                F f) {
  const int64_t slice = split.slice();
  T* a = reinterpret_cast<T*>(scratch);
  T* b = reinterpret_cast<T*>(scratch + padded(static_cast<size_t>(slice) * sizeof(T)));
  const Broadcast same;
  for (int64_t o = 0; o < outer; ++o)
    f(same.read(first, o * slice, slice, a), second ? same.read(*second, o * slice, slice, b) : nullptr, o);
}

template <class T>
class Softmax : public TileKernel {
 public:
  explicit Softmax(const KernelContext& c)
      : split_(c.out().dims, c.attr<SoftmaxAttr>().axis),
        whole_(c.attr<SoftmaxAttr>().axis == 0),
        log_(c.attr<SoftmaxAttr>().log) {}
  size_t scratch_bytes() const override { return 2 * padded(static_cast<size_t>(split_.slice()) * sizeof(T)); }
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    const int64_t inner = split_.inner, slice = split_.slice();
    T* buffer = reinterpret_cast<T*>(tile.scratch + padded(static_cast<size_t>(slice) * sizeof(T)));
    each_slice<T>(split_, outer(out[0]), tile.scratch, in[0], nullptr, [&](const T* x, const T*, int64_t o) {
      T* y = write_target(out[0], o * slice, buffer);
      for (int64_t i = 0; i < inner; ++i) {
        T most = -std::numeric_limits<T>::infinity();
        for (int64_t e = i; e < slice; e += inner) most = x[e] > most ? x[e] : most;
        double sum = 0;
        for (int64_t e = i; e < slice; e += inner) {
          y[e] = kernels::exp_nonpositive(x[e] - most);
          sum += static_cast<double>(y[e]);
        }
        const T scale = static_cast<T>(1 / sum), offset = static_cast<T>(std::log(sum));
        for (int64_t e = i; e < slice; e += inner) y[e] = log_ ? (x[e] - most) - offset : y[e] * scale;
      }
      write_back(out[0], o * slice, slice, y);
    });
  }

 private:
  int64_t outer(const Operand& x) const { return (whole_ ? 1 : x.rows) * split_.outer_in_row; }
  AxisSplit split_;
  bool whole_, log_;
};

template <class T>
class SoftmaxGrad : public TileKernel {
 public:
  explicit SoftmaxGrad(const KernelContext& c)
      : split_(c.out().dims, c.attr<SoftmaxAttr>().axis),
        whole_(c.attr<SoftmaxAttr>().axis == 0),
        log_(c.attr<SoftmaxAttr>().log) {}
  size_t scratch_bytes() const override { return 3 * padded(static_cast<size_t>(split_.slice()) * sizeof(T)); }
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    const int64_t inner = split_.inner, slice = split_.slice();
    const int64_t outer = (whole_ ? 1 : out[0].rows) * split_.outer_in_row;
    T* buffer = reinterpret_cast<T*>(tile.scratch + 2 * padded(static_cast<size_t>(slice) * sizeof(T)));
    each_slice<T>(split_, outer, tile.scratch, in[0], &in[1], [&](const T* g, const T* y, int64_t o) {
      T* dx = write_target(out[0], o * slice, buffer);
      for (int64_t i = 0; i < inner; ++i) {
        double total = 0;
        for (int64_t e = i; e < slice; e += inner)
          total += log_ ? static_cast<double>(g[e]) : static_cast<double>(g[e]) * static_cast<double>(y[e]);
        const T sum = static_cast<T>(total);
        for (int64_t e = i; e < slice; e += inner)
          dx[e] = log_ ? g[e] - kernels::exp_nonpositive(y[e]) * sum : y[e] * (g[e] - sum);
      }
      write_back(out[0], o * slice, slice, dx);
    });
  }

 private:
  AxisSplit split_;
  bool whole_, log_;
};

template <class T>
class Argmax : public TileKernel {
 public:
  explicit Argmax(const KernelContext& c)
      : split_(c.in(0).dims, c.attr<AxisAttr>().axis), whole_(c.attr<AxisAttr>().axis == 0) {}
  size_t scratch_bytes() const override { return 2 * padded(static_cast<size_t>(split_.slice()) * sizeof(T)); }
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    const int64_t inner = split_.inner, outer = (whole_ ? 1 : in[0].rows) * split_.outer_in_row;
    each_slice<T>(split_, outer, tile.scratch, in[0], nullptr, [&](const T* x, const T*, int64_t o) {
      for (int64_t i = 0; i < inner; ++i) {
        T most = x[i];
        int64_t best = 0;
        for (int64_t k = 1; k < split_.length; ++k) {
          const T next = x[k * inner + i];
          if (most == most && (next != next || next > most)) {
            most = next;
            best = k;
          }
        }
        out[0].template as<int64_t>()[o * inner + i] = best;
      }
    });
  }

 private:
  AxisSplit split_;
  bool whole_;
};

template <class T>
std::unique_ptr<TileKernel> make(const KernelContext& c) {
  if (c.instr.op == Op::softmax) return std::make_unique<Softmax<T>>(c);
  if (c.instr.op == Op::softmax_grad) return std::make_unique<SoftmaxGrad<T>>(c);
  return std::make_unique<Argmax<T>>(c);
}

}  // namespace

std::unique_ptr<TileKernel> make_softmax(const KernelContext& c) {
  const bool wide = c.in(0).dtype == DType::f64;
  auto kernel = wide ? make<double>(c) : make<float>(c);
  kernel->kernel_info = {c.out().dtype, compute_dtype(c.in(0).dtype), DType::f64, implementation_name(c.simd)};
  return kernel;
}

}  // namespace hw::cpu
