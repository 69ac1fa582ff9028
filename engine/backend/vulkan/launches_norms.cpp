// Batch, layer and group normalisation, on Vulkan.
#include "engine/backend/gpu/ops/norms.h"
#include "engine/backend/vulkan/kernels_of_sums.h"

namespace hw::vulkan {

template <>
struct KernelOf<gpu::StoreMoments> {
  static std::string name() { return "StoreMoments"; }
  static Constants constants(const gpu::StoreMoments& f) { return constants_of(f.y.dtype); }
};

template <class T>
struct KernelOf<gpu::MakeChannelFactors<T>> {
  static std::string name() { return "MakeChannelFactors" + suffix_of<T>(); }
  static Constants constants(const gpu::MakeChannelFactors<T>& f) {
    return constants_of(f.moments.dtype, f.scale.dtype, f.bias.dtype, f.sums.dtype);
  }
};

template <class T>
struct KernelOf<gpu::BatchNorm<T>> {
  static std::string name() { return "BatchNorm" + suffix_of<T>(); }
  static Constants constants(const gpu::BatchNorm<T>& f) { return constants_of(f.x.dtype, f.y.dtype); }
};

template <class T>
struct KernelOf<gpu::BatchNormGradInput<T>> {
  static std::string name() { return "BatchNormGradInput" + suffix_of<T>(); }
  static Constants constants(const gpu::BatchNormGradInput<T>& f) {
    return constants_of(f.g.dtype, f.x.dtype, f.dx.dtype);
  }
};

template <>
struct KernelOf<gpu::MakeGroupStatistics> {
  static std::string name() { return "MakeGroupStatistics"; }
  static Constants constants(const gpu::MakeGroupStatistics&) { return {}; }
};

template <class T>
struct KernelOf<gpu::GroupNorm<T>> {
  static std::string name() { return "GroupNorm" + suffix_of<T>(); }
  static Constants constants(const gpu::GroupNorm<T>& f) {
    return constants_of(f.x.dtype, f.scale.dtype, f.bias.dtype, f.y.dtype);
  }
};

template <>
struct KernelOf<gpu::GroupNormGradInput> {
  static std::string name() { return "GroupNormGradInput"; }
  static Constants constants(const gpu::GroupNormGradInput& f) {
    return constants_of(f.g.dtype, f.x.dtype, f.scale.dtype, f.dx.dtype);
  }
};

}  // namespace hw::vulkan

namespace hw::gpu {

using vulkan::VulkanLauncher;

template void plan_channel_moments<VulkanLauncher>(OpContext&);
template void plan_batch_norm<VulkanLauncher>(OpContext&);
template void plan_group_norm<VulkanLauncher>(OpContext&);

}  // namespace hw::gpu
