// hash_grid and hash_grid_grad_input on tiles of points. F = 2 in f32, f16 and bf16 runs vectorised; the rest
// runs the scalar bodies.
#include <cstring>

#include "engine/backend/cpu/kernels/cpu_tiling.h"
#include "engine/backend/cpu/kernels/element.h"
#include "engine/backend/cpu/kernels/hash_grid_encoder.h"
#include "engine/core/parallel.h"
#include "engine/kernels/hash_grid.h"

namespace hw::cpu {
namespace {

class VectorForward : public TileKernel {
 public:
  explicit VectorForward(const KernelContext& c) : encoder_(c), tile_rows_(c.tile_rows) {}
  size_t scratch_bytes() const override {
    return PointArrays::bytes(tile_rows_) +
           padded(static_cast<size_t>(encoder_.point_words() * kHashGroup) * sizeof(uint32_t));
  }
  bool begins_each_run() const override { return true; }
  void begin(const Operand* in) const override {
    // A step has swept its table out of the caches: one sweep brings it back faster than random misses do.
    const Operand& table = in[1];
    const int64_t lines = static_cast<int64_t>(byte_count(table.dtype, table.size())) / kLine;
    constexpr int64_t kLinesAtOnce = 16384, kMostLines = (int64_t{48} << 20) / kLine;
    if (lines > kMostLines || in[0].rows * encoder_.levels() * 4 < lines) return;
    parallel_for((lines + kLinesAtOnce - 1) / kLinesAtOnce, [&](int64_t piece) {
      const int64_t end = std::min(lines, (piece + 1) * kLinesAtOnce);
      for (int64_t i = piece * kLinesAtOnce; i < end; ++i) __builtin_prefetch(table.data + i * kLine, 0, 2);
    });
  }
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    const PointArrays points(tile.scratch, tile_rows_);
    points.fill(in[0].as<float>(), tile.rows, encoder_.grid().dims);
    auto* pairs = reinterpret_cast<uint32_t*>(tile.scratch + PointArrays::bytes(tile_rows_));
    for (int64_t at = 0; at < tile.rows; at += kHashGroup) {
      const int64_t n = std::min(kHashGroup, tile.rows - at);
      const float* const x[3] = {points.x[0] + at, points.x[1] + at, points.x[2] + at};
      for (int64_t level = 0; level < encoder_.levels(); ++level)
        encoder_.encode(level, x, n, in[1].data, pairs + level * encoder_.pair_words() * kHashGroup, kHashGroup,
                        out[0].losses);
      encoder_.transpose(pairs, kHashGroup, out[0].as<uint32_t>() + at * encoder_.point_words(), n);
    }
  }

 private:
  static constexpr int64_t kLine = 64;  // bytes
  HashGridEncoder encoder_;
  int64_t tile_rows_;
};

// X: of the position. Real: of the arithmetic, f64 beside a table in f64.
template <int D, class X, class Real>
class ScalarForward : public TileKernel {
 public:
  explicit ScalarForward(const KernelContext& c) : grid_(c.attr<HashGridAttr>()) {}
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    const int64_t features = grid_.features, width = out[0].row_elems;
    std::vector<Real> row(static_cast<size_t>(width));
    constexpr DType kWide = sizeof(Real) == 8 ? DType::f64 : DType::f32;
    for (int64_t i = 0; i < tile.rows; ++i) {
      std::fill(row.begin(), row.end(), Real(0));
      Real* sums = row.data();
      for (const HashGridLevel& level : grid_.levels) {
        const auto cell = kernels::hash_cell<D, Real>(in[0].as<X>() + i * D, level.scale, grid_.smoothstep);
        for (int corner = 0; corner < 1 << D; ++corner) {
          const int64_t entry = int64_t{level.offset} + kernels::hash_entry(cell, corner, level);
          const Real weight = kernels::hash_weight(cell, corner);
          for (int64_t f = 0; f < features; ++f)
            sums[f] = std::fma(weight, element<Real>(in[1], entry * features + f), sums[f]);
        }
        sums += features;
      }
      store(out[0], i * width, width, kWide, row.data());
    }
  }

 private:
  HashGridAttr grid_;
};

template <int D, class X, class Real>
class GradInput : public TileKernel {
 public:
  explicit GradInput(const KernelContext& c) : grid_(c.attr<HashGridAttr>()) {}
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    const int64_t features = grid_.features;
    for (int64_t i = 0; i < tile.rows; ++i) {
      Real sums[D] = {};
      int64_t column = i * in[2].row_elems;
      for (const HashGridLevel& level : grid_.levels) {
        const auto cell = kernels::hash_cell<D, Real>(in[0].as<X>() + i * D, level.scale, grid_.smoothstep);
        for (int corner = 0; corner < 1 << D; ++corner) {
          const int64_t entry = int64_t{level.offset} + kernels::hash_entry(cell, corner, level);
          Real along = 0;
          for (int64_t f = 0; f < features; ++f)
            along += element<Real>(in[1], entry * features + f) * element<Real>(in[2], column + f);
          for (int d = 0; d < D; ++d)
            sums[d] += kernels::hash_weight_slope(cell, corner, d) * static_cast<Real>(level.scale) * along;
        }
        column += features;
      }
      for (int d = 0; d < D; ++d) out[0].as<X>()[i * D + d] = static_cast<X>(sums[d]);
    }
  }

 private:
  HashGridAttr grid_;
};

template <template <int, class, class> class Kernel>
std::unique_ptr<TileKernel> make_scalar(const KernelContext& c) {
  const bool wide = c.in(1).dtype == DType::f64, wide_x = c.in(0).dtype == DType::f64;
  if (c.attr<HashGridAttr>().dims == 2) {
    if (wide_x) return std::make_unique<Kernel<2, double, double>>(c);
    if (wide) return std::make_unique<Kernel<2, float, double>>(c);
    return std::make_unique<Kernel<2, float, float>>(c);
  }
  if (wide_x) return std::make_unique<Kernel<3, double, double>>(c);
  if (wide) return std::make_unique<Kernel<3, float, double>>(c);
  return std::make_unique<Kernel<3, float, float>>(c);
}

}  // namespace

std::unique_ptr<TileKernel> make_hash_grid_by_point(const KernelContext& c) {
  const HashGridAttr& grid = c.attr<HashGridAttr>();
  const bool vectorised = grid.features == 2 && info(c.out().dtype).bits < 64 && info(c.out().dtype).bits > 8 &&
                          c.simd.hash_grid.encode_level;
  std::unique_ptr<TileKernel> kernel;
  if (vectorised)
    kernel = std::make_unique<VectorForward>(c);
  else
    kernel = make_scalar<ScalarForward>(c);
  kernel->kernel_info = own_kernel_info(c, c.out().dtype);
  if (!vectorised) kernel->kernel_info.implementation = "cpu scalar";
  return kernel;
}

Result<Kernel> make_hash_grid(const KernelContext& c) {
  Kernel kernel;
  if (cpu_tile_rule(c.program, c.instr).tiling == Tiling::none)
    kernel.whole = make_hash_grid_by_level(c);
  else
    kernel.tile = make_hash_grid_by_point(c);
  return kernel;
}

std::unique_ptr<TileKernel> make_hash_grid_grad_input(const KernelContext& c) {
  std::unique_ptr<TileKernel> kernel = make_scalar<GradInput>(c);
  kernel->kernel_info = own_kernel_info(c, c.in(1).dtype);
  kernel->kernel_info.implementation = "cpu scalar";
  return kernel;
}

}  // namespace hw::cpu
