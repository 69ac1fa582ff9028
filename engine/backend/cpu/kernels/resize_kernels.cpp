// resize and its gradient on tiles of pictures, plane by plane.
#include <vector>

#include "engine/backend/cpu/kernels/planes.h"
#include "engine/kernels/resize_taps.h"

namespace hw::cpu {
namespace {

using kernels::resize_taps;
using kernels::ResizeTap;

// (x) → y
template <class T>
class Resize : public TileKernel {
 public:
  explicit Resize(const KernelContext& c)
      : planes_(c.in(0).dims, c.out().dims),
        rows_(resize_taps(c.attr<ResizeAttr>(), planes_.in[0], planes_.out[0])),
        columns_(resize_taps(c.attr<ResizeAttr>(), planes_.in[1], planes_.out[1])),
        nearest_(c.attr<ResizeAttr>().kind == ResizeAttr::Kind::nearest) {}
  size_t scratch_bytes() const override { return planes_.bytes<T>(); }
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    planes_.each<T>(tile, in[0], out[0], [&](const T* x, T* y) {
      for (const ResizeTap& r : rows_) {
        const T *low = x + r.low * planes_.in[1], *high = x + r.high * planes_.in[1];
        const T down = static_cast<T>(r.weight), up = static_cast<T>(1 - r.weight);
        for (const ResizeTap& c : columns_) {
          if (nearest_) {
            *y++ = low[c.low];
            continue;
          }
          const T right = static_cast<T>(c.weight), left = static_cast<T>(1 - c.weight);
          *y++ = up * (left * low[c.low] + right * low[c.high]) + down * (left * high[c.low] + right * high[c.high]);
        }
      }
    });
  }

 private:
  Planes planes_;
  std::vector<ResizeTap> rows_, columns_;
  bool nearest_;
};

// (g) → dx
template <class T>
class ResizeGrad : public TileKernel {
 public:
  explicit ResizeGrad(const KernelContext& c)
      : planes_(c.in(0).dims, c.out().dims),
        rows_(resize_taps(c.attr<ResizeAttr>(), planes_.out[0], planes_.in[0])),
        columns_(resize_taps(c.attr<ResizeAttr>(), planes_.out[1], planes_.in[1])) {}
  size_t scratch_bytes() const override { return planes_.bytes<T>(); }
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    planes_.each<T>(tile, in[0], out[0], [&](const T* g, T* dx) {
      std::fill(dx, dx + planes_.out[0] * planes_.out[1], T(0));
      for (const ResizeTap& r : rows_) {
        T *low = dx + r.low * planes_.out[1], *high = dx + r.high * planes_.out[1];
        const T down = static_cast<T>(r.weight), up = static_cast<T>(1 - r.weight);
        for (const ResizeTap& c : columns_) {
          const T right = static_cast<T>(c.weight), left = static_cast<T>(1 - c.weight), value = *g++;
          low[c.low] += up * left * value;
          low[c.high] += up * right * value;
          high[c.low] += down * left * value;
          high[c.high] += down * right * value;
        }
      }
    });
  }

 private:
  Planes planes_;
  std::vector<ResizeTap> rows_, columns_;
};

}  // namespace

std::unique_ptr<TileKernel> make_resize(const KernelContext& c) {
  if (c.instr.op == Op::resize) return made_on_planes<Resize>(c);
  return made_on_planes<ResizeGrad>(c);
}

}  // namespace hw::cpu
