// Pooling and its gradients on tiles of pictures, pixel by pixel, in f32 (f64).
#include <cstring>

#include "engine/backend/cpu/pixel_rows.h"
#include "engine/core/parallel.h"

namespace hw::cpu {
namespace {

struct Range {
  int64_t begin, end;
  int64_t size() const { return end - begin; }
};

// Window i of an axis, cut to the picture.
Range window(const PoolAttr& a, size_t axis, int64_t i, int64_t size) {
  if (a.adaptive) return {i * size / a.size[axis], ((i + 1) * size + a.size[axis] - 1) / a.size[axis]};
  const int64_t begin = i * a.stride[axis] - a.pad_begin[axis];
  return {std::max<int64_t>(begin, 0), std::min(begin + a.kernel[axis], size)};
}

// f(pixel of the small picture, rows and columns of the large one) for the windows of row i.
template <class F>
void each_window_of(int64_t i, const PoolAttr& a, const Pair& large, const Pair& small, F f) {
  for (int64_t j = 0; j < small[1]; ++j) f(i * small[1] + j, window(a, 0, i, large[0]), window(a, 1, j, large[1]));
}
// For every window, in row-major order.
template <class F>
void each_window(const PoolAttr& a, const Pair& large, const Pair& small, F f) {
  for (int64_t i = 0; i < small[0]; ++i) each_window_of(i, a, large, small, f);
}
// For every window, its rows side by side where the kernel runs alone.
template <class F>
void each_window_in_parallel(const PoolAttr& a, const Pair& large, const Pair& small, F f) {
  parallel_for(small[0], [&](int64_t i) { each_window_of(i, a, large, small, f); });
}

// f(pixel of the large picture) for every one in a window, in row-major order.
template <class F>
void each_tap(Range rows, Range columns, int64_t width, F f) {
  for (int64_t h = rows.begin; h < rows.end; ++h)
    for (int64_t w = columns.begin; w < columns.end; ++w) f(h * width + w);
}

// Elements a window is divided by: all of it, or those inside the picture.
template <class T>
T divisor(const PoolAttr& a, Range rows, Range columns) {
  return static_cast<T>(a.count_padding && !a.adaptive ? a.kernel[0] * a.kernel[1] : rows.size() * columns.size());
}

// f(pixels read, pixels to write, how many channels) for some channels of a picture after the other.
template <class T, class F>
void each_block(const Tile& tile, const Pictures& x, const Operand& from, const Pictures& y, const Operand& to, F f) {
  PixelReader<T> reader(x, from, tile.scratch);
  PixelWriter<T> writer(y, to, tile.scratch + x.bytes<T>());
  const int64_t block = std::min(x.block(), y.block());
  for (int64_t r = 0; r < tile.rows; ++r) {
    reader.open(r);
    writer.open(r);
    for (int64_t c = 0; c < x.channels; c += block) {
      const int64_t n = std::min(block, x.channels - c);
      f(reader.read(c, n), writer.target(c, n), n);
      writer.put(c, n);
    }
    writer.close();
  }
}

// (x) → y
template <class T>
class AvgPool : public TileKernel {
 public:
  explicit AvgPool(const KernelContext& c)
      : attr_(c.attr<PoolAttr>()),
        x_(c, c.instr.in[0]),
        y_(c, c.instr.out[0]),
        add_(elementwise_loops_of<T>(c.simd).add),
        loops_(pool_loops_of<T>(c.simd)) {}
  size_t scratch_bytes() const override { return x_.bytes<T>() + y_.bytes<T>(); }
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    each_block<T>(tile, x_, in[0], y_, out[0],
                  [&](const Pixels<const T>& x, const Pixels<T>& y, int64_t n) { mean(x, y, n); });
  }

 private:
  void mean(const Pixels<const T>& x, const Pixels<T>& y, int64_t n) const {
    each_window_in_parallel(attr_, x_.size, y_.size, [&](int64_t pixel, Range rows, Range columns) {
      T* total = y[pixel];
      std::fill(total, total + n, T(0));
      each_tap(rows, columns, x_.size[1], [&](int64_t tap) { add_(total, x[tap], total, n, 0, 0); });
      loops_.divide(total, divisor<T>(attr_, rows, columns), n);
    });
  }

  PoolAttr attr_;
  Pictures x_, y_;
  typename ElementwiseLoops<T>::Binary add_;
  const PoolLoops<T>& loops_;
};

// The most rows that a window has.
int64_t tallest(const PoolAttr& a, int64_t large, int64_t small) {
  int64_t most = 1;
  for (int64_t i = 0; i < small; ++i) most = std::max(most, window(a, 0, i, large).size());
  return most;
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

// (x) → y: the maximum of each window, or its first NaN.
template <class T>
class MaxPool : public TileKernel {
 public:
  explicit MaxPool(const KernelContext& c)
      : attr_(c.attr<PoolAttr>()),
        x_(c, c.instr.in[0], tallest(attr_, c.in(0).dims[2], c.out().dims[2])),
        y_(c, c.instr.out[0], 1),
        parts_(c.rows == 1 ? std::clamp<int64_t>(y_.pictures.size[0], 1, thread_count()) : 1),
        loops_(pool_loops_of<T>(c.simd)) {}
  size_t scratch_bytes() const override { return static_cast<size_t>(parts_) * part_bytes(); }
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    const int64_t channels = x_.pictures.channels, block = x_.block(), height = y_.pictures.size[0];
    for (int64_t r = 0; r < tile.rows; ++r)
      for (int64_t c = 0; c < channels; c += block) {
        const auto part = [&](int64_t k) {
          const Range made{k * height / parts_, (k + 1) * height / parts_};
          std::byte* scratch = tile.scratch + static_cast<size_t>(k) * part_bytes();
          make_rows(in[0], out[0], r, made, c, std::min(block, channels - c), scratch);
        };
        if (out[0].losses)  // are counted by one thread
          for (int64_t k = 0; k < parts_; ++k) part(k);
        else
          parallel_for(parts_, part);
      }
  }

 private:
  size_t part_bytes() const { return x_.bytes<T>() + y_.bytes<T>(); }
  void make_rows(const Operand& in, const Operand& out, int64_t picture, Range made, int64_t c, int64_t n,
                 std::byte* scratch) const {
    RowReader<T> x(x_, in, scratch);
    RowWriter<T> y(y_, out, scratch + x_.bytes<T>());
    x.open(picture, c, n);
    y.open(picture, c, n);
    WindowRows<const T*> x_rows(x_.kept);
    for (int64_t i = made.begin; i < made.end; ++i) {
      const Range rows = window(attr_, 0, i, x_.pictures.size[0]);
      x_rows.open(x, rows);
      T* best = y[i];
      for (int64_t j = 0; j < y_.pictures.size[1]; ++j, best += n) {
        const Range columns = window(attr_, 1, j, x_.pictures.size[1]);
        loops_.max(x_rows.at(columns.begin * n), best, rows.size(), columns.size(), n);
      }
      y.put(i);
    }
  }

  PoolAttr attr_;
  PixelRows x_, y_;
  int64_t parts_;  // of the rows of a picture that is the only one: made side by side
  const PoolLoops<T>& loops_;
};

// (g, x) → dx: to the first maximum of each window, or the first NaN.
template <class T>
class MaxPoolGrad : public TileKernel {
 public:
  explicit MaxPoolGrad(const KernelContext& c)
      : attr_(c.attr<PoolAttr>()),
        g_(c, c.instr.in[0], 1),
        x_(c, c.instr.in[1], tallest(attr_, c.in(1).dims[2], c.in(0).dims[2])),
        dx_(c, c.instr.out[0], x_.kept),
        loops_(pool_loops_of<T>(c.simd)) {}
  size_t scratch_bytes() const override { return g_.bytes<T>() + x_.bytes<T>() + dx_.bytes<T>(); }
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    RowReader<T> g(g_, in[0], tile.scratch), x(x_, in[1], tile.scratch + g_.bytes<T>());
    RowWriter<T> dx(dx_, out[0], tile.scratch + g_.bytes<T>() + x_.bytes<T>());
    const int64_t channels = x_.pictures.channels, block = x_.block();  // of all three, which have one layout
    for (int64_t r = 0; r < tile.rows; ++r)
      for (int64_t c = 0; c < channels; c += block) {
        const int64_t n = std::min(block, channels - c);
        g.open(r, c, n);
        x.open(r, c, n);
        dx.open(r, c, n);
        hand_out(g, x, dx, n);
      }
  }

 private:
  void hand_out(RowReader<T>& g, RowReader<T>& x, RowWriter<T>& dx, int64_t n) const {
    const Pair large = x_.pictures.size, small = g_.pictures.size;
    WindowRows<const T*> x_rows(x_.kept);
    WindowRows<T*> dx_rows(x_.kept);
    for (int64_t i = 0; i < small[0]; ++i) {
      const Range rows = window(attr_, 0, i, large[0]);
      dx.finish_to(rows.begin);
      dx.begin_to(rows.end);
      x_rows.open(x, rows);
      dx_rows.open(dx, rows);
      const T* share = g[i];
      for (int64_t j = 0; j < small[1]; ++j, share += n) {
        const Range columns = window(attr_, 1, j, large[1]);
        const int64_t at = columns.begin * n;
        loops_.max_grad(x_rows.at(at), dx_rows.at(at), share, rows.size(), columns.size(), n);
      }
    }
    dx.finish_to(large[0]);
  }

  PoolAttr attr_;
  PixelRows g_, x_, dx_;
  const PoolLoops<T>& loops_;
};

// (g) → dx
template <class T>
class AvgPoolGrad : public TileKernel {
 public:
  explicit AvgPoolGrad(const KernelContext& c)
      : attr_(c.attr<PoolAttr>()),
        g_(c, c.instr.in[0]),
        dx_(c, c.instr.out[0]),
        add_(elementwise_loops_of<T>(c.simd).add),
        loops_(pool_loops_of<T>(c.simd)) {}
  size_t scratch_bytes() const override { return g_.bytes<T>() + dx_.bytes<T>(); }
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    each_block<T>(tile, g_, in[0], dx_, out[0],
                  [&](const Pixels<const T>& g, const Pixels<T>& dx, int64_t n) { hand_out(g, dx, n); });
  }

 private:
  void hand_out(const Pixels<const T>& g, const Pixels<T>& dx, int64_t n) const {
    for (int64_t i = 0; i < dx_.pixels(); ++i) std::fill(dx[i], dx[i] + n, T(0));
    T share[Pictures::kMost];
    each_window(attr_, dx_.size, g_.size, [&](int64_t pixel, Range rows, Range columns) {
      std::memcpy(share, g[pixel], static_cast<size_t>(n) * sizeof(T));
      loops_.divide(share, divisor<T>(attr_, rows, columns), n);
      each_tap(rows, columns, dx_.size[1], [&](int64_t tap) { add_(dx[tap], share, dx[tap], n, 0, 0); });
    });
  }

  PoolAttr attr_;
  Pictures g_, dx_;
  typename ElementwiseLoops<T>::Binary add_;
  const PoolLoops<T>& loops_;
};

}  // namespace

std::unique_ptr<TileKernel> make_pool(const KernelContext& c) {
  switch (c.instr.op) {
    case Op::max_pool:
      return made_on_pixels<MaxPool>(c);
    case Op::avg_pool:
      return made_on_pixels<AvgPool>(c);
    case Op::max_pool_grad:
      return made_on_pixels<MaxPoolGrad>(c);
    default:
      return made_on_pixels<AvgPoolGrad>(c);
  }
}

}  // namespace hw::cpu
