// The triplane lookup and its gradients. Points run in tiles; the gradient of the planes is summed by threads that each
// own whole channels, points in order: the same bits at any thread count.
#include <cstring>

#include "engine/backend/cpu/kernels/element.h"
#include "engine/core/parallel.h"
#include "engine/kernels/triplane.h"

namespace hw::cpu {
namespace {

using kernels::PlaneCorners;
using kernels::PlaneShape;

constexpr int kPlanes = 3;

PlaneShape shape_of(const Dims& planes) {
  return {planes[1], planes[2], planes[3]};
}

// (x, planes) → features
template <class X, class Real>
class Forward : public TileKernel {
 public:
  explicit Forward(const KernelContext& c) : s_(shape_of(c.in(1).dims)) {}
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    std::vector<Real> row(static_cast<size_t>(out[0].row_elems));
    for (int64_t n = 0; n < tile.rows; ++n) {
      Real* sums = row.data();
      for (int p = 0; p < kPlanes; ++p) {
        const PlaneCorners<Real> c(in[0].as<X>() + n * 3, p, s_);
        for (int64_t k = 0; k < s_.channels; ++k) {
          const int64_t plane = (p * s_.channels + k) * s_.area();
          Real sum = 0;
          for (int e = 0; e < 4; ++e) sum = std::fma(c.weight[e], element<Real>(in[1], plane + c.at[e]), sum);
          *sums++ = sum;
        }
      }
      store(out[0], n * out[0].row_elems, out[0].row_elems, kDTypeOf<Real>, row.data());
    }
  }

 private:
  PlaneShape s_;
};

// (x, planes, g) → dx
template <class X, class Real>
class GradInput : public TileKernel {
 public:
  explicit GradInput(const KernelContext& c) : s_(shape_of(c.in(1).dims)) {}
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    for (int64_t n = 0; n < tile.rows; ++n) {
      Real sums[3] = {};
      for (int p = 0; p < kPlanes; ++p) {
        const PlaneCorners<Real> c(in[0].as<X>() + n * 3, p, s_);
        Real across = 0, down = 0;
        for (int64_t k = 0; k < s_.channels; ++k) {
          const int64_t plane = (p * s_.channels + k) * s_.area();
          Real v[4];
          for (int e = 0; e < 4; ++e) v[e] = element<Real>(in[1], plane + c.at[e]);
          const Real g = element<Real>(in[2], n * in[2].row_elems + p * s_.channels + k);
          across += g * ((Real(1) - c.down.weight) * (v[1] - v[0]) + c.down.weight * (v[3] - v[2]));
          down += g * ((Real(1) - c.across.weight) * (v[2] - v[0]) + c.across.weight * (v[3] - v[1]));
        }
        sums[kernels::plane_across(p)] += c.across.slope * across;
        sums[kernels::plane_down(p)] += c.down.slope * down;
      }
      for (int d = 0; d < 3; ++d) out[0].as<X>()[n * 3 + d] = static_cast<X>(sums[d]);
    }
  }

 private:
  PlaneShape s_;
};

// (x, g) → gradient of the planes; `along`: (x, u, g), with the weights' derivatives along u
template <class X, class Real, bool along>
class SumPlanes : public WholeKernel {
 public:
  explicit SumPlanes(const KernelContext& c) : s_(shape_of(c.out().dims)) {}
  void run(const WholeRun&, const Operand* in, const Operand* out) override {
    std::memset(out[0].data, 0, static_cast<size_t>(out[0].size()) * sizeof(Real));
    const int64_t groups = (s_.channels + kChannels - 1) / kChannels;
    parallel_for(kPlanes * groups, [&](int64_t i) {
      const int p = static_cast<int>(i / groups);
      const int64_t first = i % groups * kChannels, last = std::min(s_.channels, first + kChannels);
      for (int64_t n = 0; n < in[0].rows; ++n) {
        const PlaneCorners<Real> c(in[0].as<X>() + n * 3, p, s_);
        Real weight[4];
        for (int e = 0; e < 4; ++e) weight[e] = along ? slope(c, e, in[1].as<X>() + n * 3, p) : c.weight[e];
        for (int64_t k = first; k < last; ++k) {
          const int64_t column = p * s_.channels + k;
          const Real g = element<Real>(in[kG], n * in[kG].row_elems + column);
          Real* sums = out[0].as<Real>() + column * s_.area();
          for (int e = 0; e < 4; ++e) sums[c.at[e]] += weight[e] * g;
        }
      }
    });
  }

 private:
  static constexpr int64_t kChannels = 4;  // that one thread sums at a time
  static constexpr size_t kG = along ? 2 : 1;
  static Real slope(const PlaneCorners<Real>& c, int e, const X* u, int plane) {
    return c.along(e, u[kernels::plane_across(plane)], u[kernels::plane_down(plane)]);
  }
  PlaneShape s_;
};

template <class X, class Real>
using GradPlanes = SumPlanes<X, Real, false>;
template <class X, class Real>
using TangentGradPlanes = SumPlanes<X, Real, true>;

// (x, planes, u) → features, along u
template <class X, class Real>
class Tangent : public TileKernel {
 public:
  explicit Tangent(const KernelContext& c) : s_(shape_of(c.in(1).dims)) {}
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    std::vector<Real> row(static_cast<size_t>(out[0].row_elems));
    for (int64_t n = 0; n < tile.rows; ++n) {
      Real* sums = row.data();
      const X* u = in[2].as<X>() + n * 3;
      for (int p = 0; p < kPlanes; ++p) {
        const PlaneCorners<Real> c(in[0].as<X>() + n * 3, p, s_);
        const Real across = u[kernels::plane_across(p)], down = u[kernels::plane_down(p)];
        for (int64_t k = 0; k < s_.channels; ++k) {
          const int64_t plane = (p * s_.channels + k) * s_.area();
          Real sum = 0;
          for (int e = 0; e < 4; ++e) sum += c.along(e, across, down) * element<Real>(in[1], plane + c.at[e]);
          *sums++ = sum;
        }
      }
      store(out[0], n * out[0].row_elems, out[0].row_elems, kDTypeOf<Real>, row.data());
    }
  }

 private:
  PlaneShape s_;
};

// (x, planes, u, g) → dx
template <class X, class Real>
class TangentGradInput : public TileKernel {
 public:
  explicit TangentGradInput(const KernelContext& c) : s_(shape_of(c.in(1).dims)) {}
  void run(const Tile& tile, const Operand* in, const Operand* out) const override {
    for (int64_t n = 0; n < tile.rows; ++n) {
      Real sums[3] = {};
      const X* u = in[2].as<X>() + n * 3;
      for (int p = 0; p < kPlanes; ++p) {
        const PlaneCorners<Real> c(in[0].as<X>() + n * 3, p, s_);
        Real mixed = 0;
        for (int64_t k = 0; k < s_.channels; ++k) {
          const int64_t plane = (p * s_.channels + k) * s_.area();
          const Real g = element<Real>(in[3], n * in[3].row_elems + p * s_.channels + k);
          for (int e = 0; e < 4; ++e) mixed += g * (c.mixed(e) * element<Real>(in[1], plane + c.at[e]));
        }
        sums[kernels::plane_across(p)] += static_cast<Real>(u[kernels::plane_down(p)]) * mixed;
        sums[kernels::plane_down(p)] += static_cast<Real>(u[kernels::plane_across(p)]) * mixed;
      }
      for (int d = 0; d < 3; ++d) out[0].as<X>()[n * 3 + d] = static_cast<X>(sums[d]);
    }
  }

 private:
  PlaneShape s_;
};

template <template <class, class> class Kernel>
auto made(const KernelContext& c, size_t features) {
  using Base = std::conditional_t<std::is_base_of_v<TileKernel, Kernel<float, float>>, TileKernel, WholeKernel>;
  const bool wide = c.in(features).dtype == DType::f64, wide_x = c.in(0).dtype == DType::f64;
  std::unique_ptr<Base> kernel;
  if (wide_x)
    kernel = std::make_unique<Kernel<double, double>>(c);
  else if (wide)
    kernel = std::make_unique<Kernel<float, double>>(c);
  else
    kernel = std::make_unique<Kernel<float, float>>(c);
  kernel->kernel_info = own_kernel_info(c, c.in(features).dtype);
  kernel->kernel_info.implementation = "cpu scalar";
  return kernel;
}

}  // namespace

std::unique_ptr<TileKernel> make_triplane(const KernelContext& c) {
  return made<Forward>(c, 1);
}

std::unique_ptr<TileKernel> make_triplane_grad_input(const KernelContext& c) {
  return made<GradInput>(c, 1);
}

std::unique_ptr<WholeKernel> make_triplane_grad_planes(const KernelContext& c) {
  return made<GradPlanes>(c, 1);
}

std::unique_ptr<TileKernel> make_triplane_tangent(const KernelContext& c) {
  return made<Tangent>(c, 1);
}

std::unique_ptr<TileKernel> make_triplane_tangent_grad_input(const KernelContext& c) {
  return made<TangentGradInput>(c, 1);
}

std::unique_ptr<WholeKernel> make_triplane_tangent_grad_planes(const KernelContext& c) {
  return made<TangentGradPlanes>(c, 2);
}

}  // namespace hw::cpu
