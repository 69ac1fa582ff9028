// Pooling and its gradients on tiles of pictures, row by row of windows, in f32 (f64).
#include <cstring>
#include <optional>

#include "engine/backend/cpu/kernels/pixel_rows.h"
#include "engine/core/parallel.h"

namespace hw::cpu {
namespace {

struct Range {
  int64_t begin, end;
  int64_t size() const { return end - begin; }
};

struct Window {
  Range rows, columns;  // of the picture; never empty
};

// Window i of an axis, cut to the picture.
Range window(const PoolAttr& a, size_t axis, int64_t i, int64_t size) {
  if (a.adaptive) return {i * size / a.size[axis], ((i + 1) * size + a.size[axis] - 1) / a.size[axis]};
  const int64_t begin = i * a.stride[axis] - a.pad_begin[axis];
  return {std::max<int64_t>(begin, 0), std::min(begin + a.kernel[axis], size)};
}

// The most rows that a window has.
int64_t tallest(const PoolAttr& a, int64_t large, int64_t small) {
  int64_t most = 1;
  for (int64_t i = 0; i < small; ++i) most = std::max(most, window(a, 0, i, large).size());
  return most;
}

// Elements that a window is divided by: all of it, or those inside the picture.
template <class T>
T divisor(const PoolAttr& a, const Window& w) {
  return static_cast<T>(a.count_padding && !a.adaptive ? a.kernel[0] * a.kernel[1] : w.rows.size() * w.columns.size());
}

// Where the rows of a window lie.
template <class P>
class WindowRows {
 public:
  explicit WindowRows(int64_t most) : rows_(static_cast<size_t>(most)), window_(rows_.size()) {}
  template <class Rows>
  void open(Rows& from, Range rows) {
    height_ = static_cast<size_t>(rows.size());
    for (size_t k = 0; k < height_; ++k) rows_[k] = from[rows.begin + static_cast<int64_t>(k)];
  }
  P* at(int64_t element) {
    for (size_t k = 0; k < height_; ++k) window_[k] = rows_[k] + element;
    return window_.data();
  }

 private:
  std::vector<P> rows_, window_;
  size_t height_ = 0;
};

// (x) → y
template <class T>
class Pool : public TileKernel {
 public:
  explicit Pool(const KernelContext& c)
      : attr_(c.attr<PoolAttr>()),
        loops_(pool_loops_of<T>(c.simd)),
        x_(c, c.instr.in[0], tallest(attr_, c.in(0).dims[2], c.out().dims[2])),
        y_(c, c.instr.out[0], 1),
        parts_(c.rows == 1 ? std::clamp<int64_t>(y_.size[0], 1, thread_count()) : 1) {}
  size_t scratch_bytes() const override { return static_cast<size_t>(parts_) * part_bytes(); }
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    const int64_t channels = x_.channels, block = x_.block(), height = y_.size[0];
    for (int64_t r = 0; r < tile.rows; ++r)
      for (int64_t c = 0; c < channels; c += block) {
        const auto part = [&](int64_t k) {
          const Range rows{k * height / parts_, (k + 1) * height / parts_};
          std::byte* scratch = tile.scratch + static_cast<size_t>(k) * part_bytes();
          make_rows(in[0], out[0], r, rows, c, std::min(block, channels - c), scratch);
        };
        if (out[0].losses)  // are counted by one thread
          for (int64_t k = 0; k < parts_; ++k) part(k);
        else
          parallel_for(parts_, part);
      }
  }

 protected:
  // n channels of y from those of the window, whose rows begin at x[0], x[1], …
  virtual void make(const T* const* x, const Window& w, T* y, int64_t n) const = 0;

  const PoolAttr attr_;
  const PoolLoops<T>& loops_;

 private:
  size_t part_bytes() const { return x_.bytes<T>() + y_.bytes<T>(); }
  void make_rows(const Operand& in, const Operand& out, int64_t picture, Range rows, int64_t c, int64_t n,
                 std::byte* scratch) const {
    RowReader<T> x(x_, in, scratch);
    RowWriter<T> y(y_, out, scratch + x_.bytes<T>());
    x.open(picture, c, n);
    y.open(picture, c, n);
    WindowRows<const T*> x_rows(x_.kept);
    for (int64_t i = rows.begin; i < rows.end; ++i) {
      Window w{window(attr_, 0, i, x_.size[0]), {}};
      x_rows.open(x, w.rows);
      T* result = y[i];
      for (int64_t j = 0; j < y_.size[1]; ++j, result += n) {
        w.columns = window(attr_, 1, j, x_.size[1]);
        make(x_rows.at(w.columns.begin * n), w, result, n);
      }
      y.put(i);
    }
  }

  PixelRows x_, y_;
  int64_t parts_;  // of the rows of a picture that is the only one: made side by side
};

// The maximum of each window, or its first NaN.
template <class T>
class MaxPool : public Pool<T> {
 public:
  using Pool<T>::Pool;

 private:
  void make(const T* const* x, const Window& w, T* y, int64_t n) const override {
    this->loops_.max(x, y, w.rows.size(), w.columns.size(), n);
  }
};

template <class T>
class AvgPool : public Pool<T> {
 public:
  explicit AvgPool(const KernelContext& c) : Pool<T>(c), add_(elementwise_loops_of<T>(c.simd).add) {}

 private:
  void make(const T* const* x, const Window& w, T* y, int64_t n) const override {
    std::fill(y, y + n, T(0));
    for (int64_t h = 0; h < w.rows.size(); ++h)
      for (int64_t column = 0; column < w.columns.size(); ++column) add_(y, x[h] + column * n, y, n, 0, 0);
    this->loops_.divide(y, divisor<T>(this->attr_, w), n);
  }

  typename ElementwiseLoops<T>::Binary add_;
};

// (g, x) or (g) → dx
template <class T>
class PoolGrad : public TileKernel {
 public:
  explicit PoolGrad(const KernelContext& c)
      : attr_(c.attr<PoolAttr>()),
        loops_(pool_loops_of<T>(c.simd)),
        g_(c, c.instr.in[0], 1),
        x_(c, c.instr.in.back(), tallest(attr_, c.out().dims[2], c.in(0).dims[2])),
        dx_(c, c.instr.out[0], x_.kept),
        reads_x_(c.instr.in.size() > 1) {}
  size_t scratch_bytes() const override { return dx_.bytes<T>() + g_.bytes<T>() + (reads_x_ ? x_.bytes<T>() : 0); }
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    RowWriter<T> dx(dx_, out[0], tile.scratch);
    RowReader<T> g(g_, in[0], tile.scratch + dx_.bytes<T>());
    std::optional<RowReader<T>> x;
    if (reads_x_) x.emplace(x_, in[1], tile.scratch + dx_.bytes<T>() + g_.bytes<T>());
    const int64_t channels = g_.channels, block = g_.block();  // of all three, which have one layout
    for (int64_t r = 0; r < tile.rows; ++r)
      for (int64_t c = 0; c < channels; c += block) {
        const int64_t n = std::min(block, channels - c);
        g.open(r, c, n);
        if (x) x->open(r, c, n);
        dx.open(r, c, n);
        hand_out_rows(g, x ? &*x : nullptr, dx, n);
      }
  }

 protected:
  // g, n channels of it, is handed out to the window, whose rows begin at x[0], … (if it reads x) and dx[0], …: added.
  virtual void hand_out(const T* g, const T* const* x, T* const* dx, const Window& w, int64_t n) const = 0;

  const PoolAttr attr_;
  const PoolLoops<T>& loops_;

 private:
  void hand_out_rows(RowReader<T>& g, RowReader<T>* x, RowWriter<T>& dx, int64_t n) const {
    WindowRows<const T*> x_rows(dx_.kept);
    WindowRows<T*> dx_rows(dx_.kept);
    for (int64_t i = 0; i < g_.size[0]; ++i) {
      Window w{window(attr_, 0, i, dx_.size[0]), {}};
      dx.finish_to(w.rows.begin);
      dx.begin_to(w.rows.end);
      if (x) x_rows.open(*x, w.rows);
      dx_rows.open(dx, w.rows);
      const T* share = g[i];
      for (int64_t j = 0; j < g_.size[1]; ++j, share += n) {
        w.columns = window(attr_, 1, j, dx_.size[1]);
        const int64_t at = w.columns.begin * n;
        hand_out(share, x_rows.at(at), dx_rows.at(at), w, n);
      }
    }
    dx.finish_to(dx_.size[0]);
  }

  PixelRows g_, x_, dx_;
  bool reads_x_;
};

// To the first maximum of each window, or the first NaN.
template <class T>
class MaxPoolGrad : public PoolGrad<T> {
 public:
  using PoolGrad<T>::PoolGrad;

 private:
  void hand_out(const T* g, const T* const* x, T* const* dx, const Window& w, int64_t n) const override {
    this->loops_.max_grad(x, dx, g, w.rows.size(), w.columns.size(), n);
  }
};

template <class T>
class AvgPoolGrad : public PoolGrad<T> {
 public:
  explicit AvgPoolGrad(const KernelContext& c) : PoolGrad<T>(c), add_(elementwise_loops_of<T>(c.simd).add) {}

 private:
  void hand_out(const T* g, const T* const*, T* const* dx, const Window& w, int64_t n) const override {
    constexpr int64_t kMost = 256;
    T share[kMost];
    for (int64_t c = 0; c < n; c += kMost) {
      const int64_t count = std::min(kMost, n - c);
      std::memcpy(share, g + c, static_cast<size_t>(count) * sizeof(T));
      this->loops_.divide(share, divisor<T>(this->attr_, w), count);
      for (int64_t h = 0; h < w.rows.size(); ++h)
        for (int64_t column = 0; column < w.columns.size(); ++column) {
          T* to = dx[h] + column * n + c;
          add_(to, share, to, count, 0, 0);
        }
    }
  }

  typename ElementwiseLoops<T>::Binary add_;
};

// In the arithmetic of the storage dtype of input 0: f32, f64 for f64.
template <template <class> class Made>
std::unique_ptr<TileKernel> made(const KernelContext& c) {
  std::unique_ptr<TileKernel> kernel;
  if (c.in(0).dtype == DType::f64)
    kernel = std::make_unique<Made<double>>(c);
  else
    kernel = std::make_unique<Made<float>>(c);
  kernel->kernel_info = own_kernel_info(c, c.in(0).dtype);
  return kernel;
}

}  // namespace

std::unique_ptr<TileKernel> make_pool(const KernelContext& c) {
  switch (c.instr.op) {
    case Op::max_pool:
      return made<MaxPool>(c);
    case Op::avg_pool:
      return made<AvgPool>(c);
    case Op::max_pool_grad:
      return made<MaxPoolGrad>(c);
    default:
      return made<AvgPoolGrad>(c);
  }
}

}  // namespace hw::cpu
