// Pooling and its gradients on tiles of pictures, one plane [H, W] after the other, in f32 (f64).
#include <cmath>

#include "engine/backend/cpu/block_io.h"

namespace hw::cpu {
namespace {

// A plane of an operand as T: its own memory, or widened into `buffer`.
template <class T>
const T* plane_of(const Operand& x, int64_t plane, int64_t size, T* buffer) {
  if (x.dtype == kDTypeOf<T>) return x.as<T>() + plane * size;
  convert(kDTypeOf<T>, buffer, x.dtype, x.data + static_cast<size_t>(plane * size) * size_of(x.dtype),
          static_cast<size_t>(size));
  return buffer;
}

struct Range {
  int64_t begin, end;
};

// Window i of an axis, cut to the picture.
Range window(const PoolAttr& a, size_t axis, int64_t i, int64_t size) {
  const int64_t begin = i * a.stride[axis] - a.pad_begin[axis];
  return {std::max<int64_t>(begin, 0), std::min(begin + a.kernel[axis], size)};
}

// Row-major place of the first maximum, or of the first NaN.
template <class T>
int64_t argmax(const T* x, int64_t width, Range rows, Range columns) {
  int64_t best = rows.begin * width + columns.begin;
  for (int64_t h = rows.begin; h < rows.end; ++h)
    for (int64_t w = columns.begin; w < columns.end; ++w) {
      const int64_t i = h * width + w;
      if (x[i] > x[best] || (std::isnan(x[i]) && !std::isnan(x[best]))) best = i;
    }
  return best;
}

template <class T>
class MaxPool : public TileKernel {
 public:
  explicit MaxPool(const KernelContext& c) : attr_(c.attr<PoolAttr>()), x_(c.in(0).dims), y_(c.out().dims) {}
  size_t scratch_bytes() const override {
    return padded(static_cast<size_t>(x_[2] * x_[3]) * sizeof(T)) +
           padded(static_cast<size_t>(y_[2] * y_[3]) * sizeof(T));
  }
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    auto* wide = reinterpret_cast<T*>(tile.scratch);
    auto* buffer = reinterpret_cast<T*>(tile.scratch + padded(static_cast<size_t>(x_[2] * x_[3]) * sizeof(T)));
    const int64_t size = y_[2] * y_[3];
    for (int64_t p = 0; p < tile.rows * x_[1]; ++p) {
      const T* x = plane_of(in[0], p, x_[2] * x_[3], wide);
      T* y = write_target(out[0], p * size, buffer);
      for (int64_t i = 0; i < y_[2]; ++i)
        for (int64_t j = 0; j < y_[3]; ++j)
          y[i * y_[3] + j] = x[argmax(x, x_[3], window(attr_, 0, i, x_[2]), window(attr_, 1, j, x_[3]))];
      write_back(out[0], p * size, size, y);
    }
  }

 private:
  PoolAttr attr_;
  Dims x_, y_;
};

// (g, x) → dx.
template <class T>
class MaxPoolGrad : public TileKernel {
 public:
  explicit MaxPoolGrad(const KernelContext& c) : attr_(c.attr<PoolAttr>()), x_(c.in(1).dims), y_(c.in(0).dims) {}
  size_t scratch_bytes() const override { return 2 * plane_bytes(x_) + plane_bytes(y_); }
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    auto* wide_x = reinterpret_cast<T*>(tile.scratch);
    auto* buffer = reinterpret_cast<T*>(tile.scratch + plane_bytes(x_));
    auto* wide_g = reinterpret_cast<T*>(tile.scratch + 2 * plane_bytes(x_));
    const int64_t size = x_[2] * x_[3];
    for (int64_t p = 0; p < tile.rows * x_[1]; ++p) {
      const T* g = plane_of(in[0], p, y_[2] * y_[3], wide_g);
      const T* x = plane_of(in[1], p, size, wide_x);
      T* dx = write_target(out[0], p * size, buffer);
      std::fill(dx, dx + size, T(0));
      for (int64_t i = 0; i < y_[2]; ++i)
        for (int64_t j = 0; j < y_[3]; ++j)
          dx[argmax(x, x_[3], window(attr_, 0, i, x_[2]), window(attr_, 1, j, x_[3]))] += g[i * y_[3] + j];
      write_back(out[0], p * size, size, dx);
    }
  }

 private:
  static size_t plane_bytes(const Dims& d) { return padded(static_cast<size_t>(d[2] * d[3]) * sizeof(T)); }
  PoolAttr attr_;
  Dims x_, y_;
};

template <class T>
std::unique_ptr<TileKernel> made(const KernelContext& c) {
  switch (c.instr.op) {
    case Op::max_pool:
      return std::make_unique<MaxPool<T>>(c);
    case Op::max_pool_grad:
      return std::make_unique<MaxPoolGrad<T>>(c);
    default:
      return nullptr;
  }
}

}  // namespace

std::unique_ptr<TileKernel> make_pool(const KernelContext& c) {
  auto kernel = c.in(0).dtype == DType::f64 ? made<double>(c) : made<float>(c);
  if (kernel)
    kernel->kernel_info = {c.in(0).dtype, compute_dtype(c.in(0).dtype), compute_dtype(c.in(0).dtype), "cpu scalar"};
  return kernel;
}

}  // namespace hw::cpu
