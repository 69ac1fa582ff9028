// Pooling and its gradients on tiles of pictures, one plane [H, W] after the other, in f32 (f64).
#include <cmath>

#include "engine/backend/cpu/planes.h"

namespace hw::cpu {
namespace {

struct Range {
  int64_t begin, end;
};

// Window i of an axis, cut to the picture.
Range window(const PoolAttr& a, size_t axis, int64_t i, int64_t size) {
  if (a.adaptive) return {i * size / a.size[axis], ((i + 1) * size + a.size[axis] - 1) / a.size[axis]};
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

// (x) → y
template <class T>
class MaxPool : public TileKernel {
 public:
  explicit MaxPool(const KernelContext& c) : attr_(c.attr<PoolAttr>()), planes_(c.in(0).dims, c.out().dims) {}
  size_t scratch_bytes() const override { return planes_.bytes<T>(); }
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    planes_.each<T>(tile, in[0], out[0], [&](const T* x, T* y) {
      for (int64_t i = 0; i < planes_.out[0]; ++i)
        for (int64_t j = 0; j < planes_.out[1]; ++j)
          *y++ = x[argmax(x, planes_.in[1], window(attr_, 0, i, planes_.in[0]), window(attr_, 1, j, planes_.in[1]))];
    });
  }

 private:
  PoolAttr attr_;
  Planes planes_;
};

// (g, x) → dx
template <class T>
class MaxPoolGrad : public TileKernel {
 public:
  explicit MaxPoolGrad(const KernelContext& c)
      : attr_(c.attr<PoolAttr>()), planes_(c.in(0).dims, c.out().dims), x_(c.in(1).dims, c.out().dims) {}
  size_t scratch_bytes() const override { return planes_.bytes<T>() + x_.bytes<T>(); }
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    auto* wide = reinterpret_cast<T*>(tile.scratch + planes_.bytes<T>());
    int64_t plane = 0;
    planes_.each<T>(tile, in[0], out[0], [&](const T* g, T* dx) {
      const T* x = plane_of(in[1], plane++, x_.in[0] * x_.in[1], wide);
      std::fill(dx, dx + x_.in[0] * x_.in[1], T(0));
      for (int64_t i = 0; i < planes_.in[0]; ++i)
        for (int64_t j = 0; j < planes_.in[1]; ++j)
          dx[argmax(x, x_.in[1], window(attr_, 0, i, x_.in[0]), window(attr_, 1, j, x_.in[1]))] += *g++;
    });
  }

 private:
  PoolAttr attr_;
  Planes planes_, x_;
};

// Elements a window is divided by: all of it, or those inside the picture.
template <class T>
T divisor(const PoolAttr& a, Range rows, Range columns) {
  return static_cast<T>(a.count_padding && !a.adaptive ? a.kernel[0] * a.kernel[1]
                                                       : (rows.end - rows.begin) * (columns.end - columns.begin));
}

// (x) → y
template <class T>
class AvgPool : public TileKernel {
 public:
  explicit AvgPool(const KernelContext& c) : attr_(c.attr<PoolAttr>()), planes_(c.in(0).dims, c.out().dims) {}
  size_t scratch_bytes() const override { return planes_.bytes<T>(); }
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    planes_.each<T>(tile, in[0], out[0], [&](const T* x, T* y) {
      for (int64_t i = 0; i < planes_.out[0]; ++i)
        for (int64_t j = 0; j < planes_.out[1]; ++j) {
          const Range rows = window(attr_, 0, i, planes_.in[0]), columns = window(attr_, 1, j, planes_.in[1]);
          T total = 0;
          for (int64_t h = rows.begin; h < rows.end; ++h)
            for (int64_t w = columns.begin; w < columns.end; ++w) total += x[h * planes_.in[1] + w];
          *y++ = total / divisor<T>(attr_, rows, columns);
        }
    });
  }

 private:
  PoolAttr attr_;
  Planes planes_;
};

// (g) → dx
template <class T>
class AvgPoolGrad : public TileKernel {
 public:
  explicit AvgPoolGrad(const KernelContext& c) : attr_(c.attr<PoolAttr>()), planes_(c.in(0).dims, c.out().dims) {}
  size_t scratch_bytes() const override { return planes_.bytes<T>(); }
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    planes_.each<T>(tile, in[0], out[0], [&](const T* g, T* dx) {
      std::fill(dx, dx + planes_.out[0] * planes_.out[1], T(0));
      for (int64_t i = 0; i < planes_.in[0]; ++i)
        for (int64_t j = 0; j < planes_.in[1]; ++j) {
          const Range rows = window(attr_, 0, i, planes_.out[0]), columns = window(attr_, 1, j, planes_.out[1]);
          const T share = *g++ / divisor<T>(attr_, rows, columns);
          for (int64_t h = rows.begin; h < rows.end; ++h)
            for (int64_t w = columns.begin; w < columns.end; ++w) dx[h * planes_.out[1] + w] += share;
        }
    });
  }

 private:
  PoolAttr attr_;
  Planes planes_;
};

}  // namespace

std::unique_ptr<TileKernel> make_pool(const KernelContext& c) {
  switch (c.instr.op) {
    case Op::max_pool:
      return made_on_planes<MaxPool>(c);
    case Op::max_pool_grad:
      return made_on_planes<MaxPoolGrad>(c);
    case Op::avg_pool:
      return made_on_planes<AvgPool>(c);
    default:
      return made_on_planes<AvgPoolGrad>(c);
  }
}

}  // namespace hw::cpu
