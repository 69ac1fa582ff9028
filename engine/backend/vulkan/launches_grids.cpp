// The hash grid, the triplane and rows of tables on Vulkan.
#include "engine/backend/gpu/ops/grid_tangents.h"
#include "engine/backend/vulkan/kernels_of_sums.h"
#include "engine/backend/vulkan/launcher.h"

namespace hw::vulkan {

// The first two constants of all kernels in hash_grid.glsl and triplane.glsl: the dtype of the positions, and how many
// coordinates they have (on a triplane 3).

template <int D, class X, class Real>
struct KernelOf<gpu::HashGrid<D, X, Real>> {
  static std::string name() { return "HashGrid" + suffix_of<Real>(); }
  static Constants constants(const gpu::HashGrid<D, X, Real>& f) {
    return constants_of(kDTypeOf<X>, D, f.grid.smoothstep, f.table.dtype, f.y.dtype);
  }
};

template <int D, class X, class Real>
struct KernelOf<gpu::HashGridGradTable<D, X, Real>> {
  static std::string name() { return "HashGridGradTable" + suffix_of<Real>(); }
  static Constants constants(const gpu::HashGridGradTable<D, X, Real>& f) {
    return constants_of(kDTypeOf<X>, D, f.grid.smoothstep, f.g.dtype);
  }
};

template <int D, class X, class Real>
struct KernelOf<gpu::HashGridGradInput<D, X, Real>> {
  static std::string name() { return "HashGridGradInput" + suffix_of<Real>(); }
  static Constants constants(const gpu::HashGridGradInput<D, X, Real>& f) {
    return constants_of(kDTypeOf<X>, D, f.grid.smoothstep, f.table.dtype, f.g.dtype);
  }
};

template <class X, class Real>
struct KernelOf<gpu::Triplane<X, Real>> {
  static std::string name() { return "Triplane" + suffix_of<Real>(); }
  static Constants constants(const gpu::Triplane<X, Real>& f) {
    return constants_of(kDTypeOf<X>, 3, f.planes.dtype, f.y.dtype);
  }
};

template <class X, class Real>
struct KernelOf<gpu::TriplaneGradPlanes<X, Real>> {
  static std::string name() { return "TriplaneGradPlanes" + suffix_of<Real>(); }
  static Constants constants(const gpu::TriplaneGradPlanes<X, Real>& f) {
    return constants_of(kDTypeOf<X>, 3, f.g.dtype);
  }
};

template <class X, class Real>
struct KernelOf<gpu::TriplaneGradInput<X, Real>> {
  static std::string name() { return "TriplaneGradInput" + suffix_of<Real>(); }
  static Constants constants(const gpu::TriplaneGradInput<X, Real>& f) {
    return constants_of(kDTypeOf<X>, 3, f.planes.dtype, f.g.dtype);
  }
};

template <int D, class X, class Real>
struct KernelOf<gpu::HashGridTangent<D, X, Real>> {
  static std::string name() { return "HashGridTangent" + suffix_of<Real>(); }
  static Constants constants(const gpu::HashGridTangent<D, X, Real>& f) {
    return constants_of(kDTypeOf<X>, D, f.grid.smoothstep, f.table.dtype, f.y.dtype);
  }
};

template <int D, class X, class Real>
struct KernelOf<gpu::HashGridTangentGradTable<D, X, Real>> {
  static std::string name() { return "HashGridTangentGradTable" + suffix_of<Real>(); }
  static Constants constants(const gpu::HashGridTangentGradTable<D, X, Real>& f) {
    return constants_of(kDTypeOf<X>, D, f.grid.smoothstep, f.g.dtype);
  }
};

template <int D, class X, class Real>
struct KernelOf<gpu::HashGridTangentGradInput<D, X, Real>> {
  static std::string name() { return "HashGridTangentGradInput" + suffix_of<Real>(); }
  static Constants constants(const gpu::HashGridTangentGradInput<D, X, Real>& f) {
    return constants_of(kDTypeOf<X>, D, f.grid.smoothstep, f.table.dtype, f.g.dtype);
  }
};

template <class X, class Real>
struct KernelOf<gpu::TriplaneTangent<X, Real>> {
  static std::string name() { return "TriplaneTangent" + suffix_of<Real>(); }
  static Constants constants(const gpu::TriplaneTangent<X, Real>& f) {
    return constants_of(kDTypeOf<X>, 3, f.planes.dtype, f.y.dtype);
  }
};

template <class X, class Real>
struct KernelOf<gpu::TriplaneTangentGradPlanes<X, Real>> {
  static std::string name() { return "TriplaneTangentGradPlanes" + suffix_of<Real>(); }
  static Constants constants(const gpu::TriplaneTangentGradPlanes<X, Real>& f) {
    return constants_of(kDTypeOf<X>, 3, f.g.dtype);
  }
};

template <class X, class Real>
struct KernelOf<gpu::TriplaneTangentGradInput<X, Real>> {
  static std::string name() { return "TriplaneTangentGradInput" + suffix_of<Real>(); }
  static Constants constants(const gpu::TriplaneTangentGradInput<X, Real>& f) {
    return constants_of(kDTypeOf<X>, 3, f.planes.dtype, f.g.dtype);
  }
};

template <>
struct KernelOf<gpu::Gather> {
  static std::string name() { return "Gather"; }
  static Constants constants(const gpu::Gather& f) { return constants_of(f.index.dtype, f.y.dtype); }
};

template <>
struct KernelOf<gpu::GatherGrad> {
  static std::string name() { return "GatherGrad"; }
  static Constants constants(const gpu::GatherGrad& f) { return constants_of(f.g.dtype, f.index.dtype); }
};

}  // namespace hw::vulkan

namespace hw::gpu {

using vulkan::VulkanLauncher;

template void plan_hash_grid<VulkanLauncher>(OpContext&);
template void plan_triplane<VulkanLauncher>(OpContext&);
template void plan_hash_grid_tangent<VulkanLauncher>(OpContext&);
template void plan_triplane_tangent<VulkanLauncher>(OpContext&);
template void plan_gather<VulkanLauncher>(OpContext&);

}  // namespace hw::gpu
