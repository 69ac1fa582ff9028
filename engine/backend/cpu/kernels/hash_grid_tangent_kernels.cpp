// The hash grid's derivative along a direction for each point, and its gradients. Points run in tiles; the gradient of
// the table is summed by threads that each own whole levels, points in order: the same bits at any thread count.
#include <cstring>

#include "engine/backend/cpu/kernels/element.h"
#include "engine/core/parallel.h"
#include "engine/kernels/hash_grid.h"

namespace hw::cpu {
namespace {

// (x, table, u) → features. X: of positions and directions. Real: of the arithmetic, f64 beside a table in f64.
template <int D, class X, class Real>
class Tangent : public TileKernel {
 public:
  explicit Tangent(const KernelContext& c) : grid_(c.attr<HashGridAttr>()) {}
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    const int64_t features = grid_.features, width = out[0].row_elems;
    std::vector<Real> row(static_cast<size_t>(width));
    for (int64_t i = 0; i < tile.rows; ++i) {
      std::fill(row.begin(), row.end(), Real(0));
      Real* sums = row.data();
      for (const HashGridLevel& level : grid_.levels) {
        const auto cell = kernels::hash_cell<D, Real>(in[0].as<X>() + i * D, level.scale, grid_.smoothstep);
        for (int corner = 0; corner < 1 << D; ++corner) {
          const int64_t entry = int64_t{level.offset} + kernels::hash_entry(cell, corner, level);
          const Real weight = kernels::hash_weight_along(cell, corner, in[2].as<X>() + i * D) * Real(level.scale);
          for (int64_t f = 0; f < features; ++f) sums[f] += weight * element<Real>(in[1], entry * features + f);
        }
        sums += features;
      }
      store(out[0], i * width, width, kDTypeOf<Real>, row.data());
    }
  }

 private:
  HashGridAttr grid_;
};

// (x, table, u, g) → dx
template <int D, class X, class Real>
class TangentGradInput : public TileKernel {
 public:
  explicit TangentGradInput(const KernelContext& c) : grid_(c.attr<HashGridAttr>()) {}
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    const int64_t features = grid_.features;
    for (int64_t i = 0; i < tile.rows; ++i) {
      Real sums[D] = {};
      int64_t column = i * in[3].row_elems;
      for (const HashGridLevel& level : grid_.levels) {
        const auto cell = kernels::hash_cell<D, Real>(in[0].as<X>() + i * D, level.scale, grid_.smoothstep);
        const Real scale = level.scale;
        for (int corner = 0; corner < 1 << D; ++corner) {
          const int64_t entry = int64_t{level.offset} + kernels::hash_entry(cell, corner, level);
          Real product = 0;
          for (int64_t f = 0; f < features; ++f)
            product += element<Real>(in[1], entry * features + f) * element<Real>(in[3], column + f);
          for (int d = 0; d < D; ++d)
            sums[d] +=
                kernels::hash_weight_along_slope(cell, corner, in[2].as<X>() + i * D, d) * (scale * scale) * product;
        }
        column += features;
      }
      for (int d = 0; d < D; ++d) out[0].as<X>()[i * D + d] = static_cast<X>(sums[d]);
    }
  }

 private:
  HashGridAttr grid_;
};

// (x, u, g) → gradient of the table
template <int D, class X, class Real>
class GradTable : public WholeKernel {
 public:
  explicit GradTable(const KernelContext& c) : grid_(c.attr<HashGridAttr>()) {}
  void run(const WholeRun&, const Operand* in, const Operand* out) override {
    std::memset(out[0].data, 0, static_cast<size_t>(out[0].size()) * sizeof(Real));
    parallel_for(static_cast<int64_t>(grid_.levels.size()), [&](int64_t l) { sum_level(l, in, out); });
  }

 private:
  void sum_level(int64_t l, const Operand* in, const Operand* out) const {
    const HashGridLevel& level = grid_.levels[static_cast<size_t>(l)];
    const int64_t features = grid_.features, width = in[2].row_elems;
    std::vector<Real> g(static_cast<size_t>(features));
    const Broadcast same;
    for (int64_t i = 0; i < in[0].rows; ++i) {
      const Real* row = same.read(in[2], i * width + l * features, features, g.data());
      const auto cell = kernels::hash_cell<D, Real>(in[0].as<X>() + i * D, level.scale, grid_.smoothstep);
      for (int corner = 0; corner < 1 << D; ++corner) {
        const int64_t entry = int64_t{level.offset} + kernels::hash_entry(cell, corner, level);
        const Real weight = kernels::hash_weight_along(cell, corner, in[1].as<X>() + i * D) * Real(level.scale);
        for (int64_t f = 0; f < features; ++f) out[0].as<Real>()[entry * features + f] += weight * row[f];
      }
    }
  }

  HashGridAttr grid_;
};

template <template <int, class, class> class Kernel, int D>
auto made_in(const KernelContext& c, size_t features) {
  using Base = std::conditional_t<std::is_base_of_v<TileKernel, Kernel<D, float, float>>, TileKernel, WholeKernel>;
  const bool wide = c.in(features).dtype == DType::f64, wide_x = c.in(0).dtype == DType::f64;
  std::unique_ptr<Base> kernel;
  if (wide_x)
    kernel = std::make_unique<Kernel<D, double, double>>(c);
  else if (wide)
    kernel = std::make_unique<Kernel<D, float, double>>(c);
  else
    kernel = std::make_unique<Kernel<D, float, float>>(c);
  kernel->kernel_info = own_kernel_info(c, c.in(features).dtype);
  kernel->kernel_info.implementation = "cpu scalar";
  return kernel;
}

/// `features`: the input that carries them.
template <template <int, class, class> class Kernel>
auto made(const KernelContext& c, size_t features) {
  return c.attr<HashGridAttr>().dims == 2 ? made_in<Kernel, 2>(c, features) : made_in<Kernel, 3>(c, features);
}

}  // namespace

std::unique_ptr<TileKernel> make_hash_grid_tangent(const KernelContext& c) {
  return made<Tangent>(c, 1);
}

std::unique_ptr<TileKernel> make_hash_grid_tangent_grad_input(const KernelContext& c) {
  return made<TangentGradInput>(c, 1);
}

std::unique_ptr<WholeKernel> make_hash_grid_tangent_grad_table(const KernelContext& c) {
  return made<GradTable>(c, 2);
}

}  // namespace hw::cpu
