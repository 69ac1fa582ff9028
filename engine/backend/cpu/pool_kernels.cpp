// Pooling and its gradients on tiles of pictures, pixel by pixel, in f32 (f64).
#include <cstring>

#include "engine/backend/cpu/pixels.h"
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
class Pool : public TileKernel {
 public:
  explicit Pool(const KernelContext& c)
      : attr_(c.attr<PoolAttr>()),
        is_max_(c.instr.op == Op::max_pool),
        x_(c, c.instr.in[0]),
        y_(c, c.instr.out[0]),
        add_(elementwise_loops_of<T>(c.simd).add),
        loops_(channel_loops_of<T>(c.simd)) {}
  size_t scratch_bytes() const override { return x_.bytes<T>() + y_.bytes<T>(); }
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    each_block<T>(tile, x_, in[0], y_, out[0], [&](const Pixels<const T>& x, const Pixels<T>& y, int64_t n) {
      if (is_max_)
        maximum(x, y, n);
      else
        mean(x, y, n);
    });
  }

 private:
  void maximum(const Pixels<const T>& x, const Pixels<T>& y, int64_t n) const {
    each_window_in_parallel(attr_, x_.size, y_.size, [&](int64_t pixel, Range rows, Range columns) {
      T* best = y[pixel];
      std::memcpy(best, x[rows.begin * x_.size[1] + columns.begin], static_cast<size_t>(n) * sizeof(T));
      each_tap(rows, columns, x_.size[1], [&](int64_t tap) { loops_.max(x[tap], best, n); });
    });
  }
  void mean(const Pixels<const T>& x, const Pixels<T>& y, int64_t n) const {
    each_window_in_parallel(attr_, x_.size, y_.size, [&](int64_t pixel, Range rows, Range columns) {
      T* total = y[pixel];
      std::fill(total, total + n, T(0));
      each_tap(rows, columns, x_.size[1], [&](int64_t tap) { add_(total, x[tap], total, n, 0, 0); });
      loops_.divide(total, divisor<T>(attr_, rows, columns), n);
    });
  }

  PoolAttr attr_;
  bool is_max_;
  Pictures x_, y_;
  typename ElementwiseLoops<T>::Binary add_;
  const ChannelLoops<T>& loops_;
};

// (g, x) → dx: to the first maximum of each window, or the first NaN.
template <class T>
class MaxPoolGrad : public TileKernel {
 public:
  explicit MaxPoolGrad(const KernelContext& c)
      : attr_(c.attr<PoolAttr>()),
        g_(c, c.instr.in[0]),
        x_(c, c.instr.in[1]),
        dx_(c, c.instr.out[0]),
        loops_(channel_loops_of<T>(c.simd)) {}
  size_t scratch_bytes() const override { return g_.bytes<T>() + x_.bytes<T>() + dx_.bytes<T>(); }
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    PixelReader<T> g_reader(g_, in[0], tile.scratch), x_reader(x_, in[1], tile.scratch + g_.bytes<T>());
    PixelWriter<T> writer(dx_, out[0], tile.scratch + g_.bytes<T>() + x_.bytes<T>());
    const int64_t block = std::min({g_.block(), x_.block(), dx_.block()});
    for (int64_t r = 0; r < tile.rows; ++r) {
      g_reader.open(r);
      x_reader.open(r);
      writer.open(r);
      for (int64_t c = 0; c < x_.channels; c += block) {
        const int64_t n = std::min(block, x_.channels - c);
        hand_out(g_reader.read(c, n), x_reader.read(c, n), writer.target(c, n), n);
        writer.put(c, n);
      }
      writer.close();
    }
  }

 private:
  void hand_out(const Pixels<const T>& g, const Pixels<const T>& x, const Pixels<T>& dx, int64_t n) const {
    for (int64_t i = 0; i < dx_.pixels(); ++i) std::fill(dx[i], dx[i] + n, T(0));
    T best[Pictures::kMost];
    uint32_t at[Pictures::kMost];
    each_window(attr_, x_.size, g_.size, [&](int64_t pixel, Range rows, Range columns) {
      std::memcpy(best, x[rows.begin * x_.size[1] + columns.begin], static_cast<size_t>(n) * sizeof(T));
      std::fill(at, at + n, 0u);
      uint32_t number = 0;
      each_tap(rows, columns, x_.size[1], [&](int64_t tap) { loops_.max_at(x[tap], number++, best, at, n); });
      number = 0;
      each_tap(rows, columns, x_.size[1], [&](int64_t tap) { loops_.add_where(g[pixel], at, number++, dx[tap], n); });
    });
  }

  PoolAttr attr_;
  Pictures g_, x_, dx_;
  const ChannelLoops<T>& loops_;
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
        loops_(channel_loops_of<T>(c.simd)) {}
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
  const ChannelLoops<T>& loops_;
};

}  // namespace

std::unique_ptr<TileKernel> make_pool(const KernelContext& c) {
  switch (c.instr.op) {
    case Op::max_pool:
    case Op::avg_pool:
      return made_on_pixels<Pool>(c);
    case Op::max_pool_grad:
      return made_on_pixels<MaxPoolGrad>(c);
    default:
      return made_on_pixels<AvgPoolGrad>(c);
  }
}

}  // namespace hw::cpu
