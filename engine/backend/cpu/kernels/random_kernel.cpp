// random on tiles: blocks of elements from the loops of simd.h, rounded once.
#include "engine/backend/cpu/kernels/block_io.h"

namespace hw::cpu {
namespace {

template <class T>
class Random : public TileKernel {
 public:
  explicit Random(const KernelContext& c) : simd_(c.simd), attr_(c.attr<RandomAttr>()), rows_(c.rows) {}
  void run(const Tile& tile, const Operand*, const Operand* out) const override {
    T y[kBlock];
    const int64_t size = out[0].size();
    Draw draw = tile.draw(attr_.random, rows_, out[0].row_elems);
    for (int64_t i = 0; i < size; i += kBlock) {
      const int64_t n = std::min(kBlock, size - i);
      T* target = write_target(out[0], i, y);
      if constexpr (sizeof(T) == 8)
        simd_.random_f64(target, n, draw, attr_);
      else
        simd_.random(target, n, draw, attr_);
      draw.first += static_cast<uint64_t>(n);
      write_back(out[0], i, n, y);
    }
  }

 private:
  const SimdTable& simd_;
  RandomAttr attr_;
  int64_t rows_;
};

}  // namespace

std::unique_ptr<TileKernel> make_random(const KernelContext& c) {
  std::unique_ptr<TileKernel> kernel;
  if (c.out().dtype == DType::f64)
    kernel = std::make_unique<Random<double>>(c);
  else
    kernel = std::make_unique<Random<float>>(c);
  kernel->kernel_info = own_kernel_info(c, c.out().dtype);
  return kernel;
}

}  // namespace hw::cpu
