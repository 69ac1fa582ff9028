// cast on tiles, to nearest or stochastic; and the ops that copy.
#include <cmath>

#include "engine/backend/cpu/kernels/block_io.h"
#include "engine/core/philox.h"
#include "engine/kernels/random.h"
#include "engine/kernels/stochastic_round.h"

namespace hw::cpu {
namespace {

class Cast : public TileKernel {
 public:
  explicit Cast(bool saturate) : saturate_(saturate) {}
  void run(const Tile&, const Operand* in, const Operand* out) const override {
    if (out[0].data != in[0].data) store(out[0], 0, out[0].size(), in[0].dtype, in[0].data, saturate_);
  }

 private:
  bool saturate_;
};

class StochasticCast : public TileKernel {
 public:
  StochasticCast(const CastAttr& attr, int64_t rows)
      : attr_(attr), rows_(rows), format_{info(attr.dtype).mantissa_bits, std::ilogb(info(attr.dtype).min_normal)} {}
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    double x[kBlock], before[kBlock];
    const int64_t size = out[0].size();
    const Draw draw = tile.draw(attr_.random, rows_, out[0].row_elems);
    for (int64_t i = 0; i < size; i += kBlock) {
      const int64_t n = std::min(kBlock, size - i);
      convert(DType::f64, x, in[0].dtype, in[0].data + static_cast<size_t>(i) * size_of(in[0].dtype),
              static_cast<size_t>(n));
      if (out[0].losses) std::copy(x, x + n, before);
      round(x, n, draw.first + static_cast<uint64_t>(i), draw);
      std::byte* to = out[0].data + static_cast<size_t>(i) * size_of(out[0].dtype);
      convert(out[0].dtype, to, DType::f64, x, static_cast<size_t>(n), attr_.saturate);
      if (out[0].losses) out[0].losses->add(out[0].dtype, to, DType::f64, before, n);
    }
  }

 private:
  // Elements [first, first + n) of the draw.
  void round(double* x, int64_t n, uint64_t first, const Draw& draw) const {
    Philox4 words{};
    for (int64_t i = 0; i < n; ++i) {
      const uint64_t element = first + static_cast<uint64_t>(i);
      if (i == 0 || element % 4 == 0) words = philox_block(draw.seed, draw.stream, draw.step, element / 4);
      x[i] = kernels::stochastic_round(x[i], format_, kernels::unit_of<double>(words[element % 4]));
    }
  }

  CastAttr attr_;
  int64_t rows_;
  kernels::RoundingFormat format_;
};

}  // namespace

std::unique_ptr<TileKernel> make_cast(const KernelContext& c) {
  const CastAttr attr = c.instr.op == Op::cast ? c.attr<CastAttr>() : CastAttr{};
  std::unique_ptr<TileKernel> kernel;
  if (attr.stochastic && attr.dtype != DType::f64)  // every float is an f64
    kernel = std::make_unique<StochasticCast>(attr, c.rows);
  else
    kernel = std::make_unique<Cast>(attr.saturate);
  kernel->kernel_info = own_kernel_info(c, c.out().dtype);
  return kernel;
}

}  // namespace hw::cpu
