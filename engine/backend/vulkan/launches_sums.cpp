// Sums, on Vulkan.
#include "engine/backend/gpu/ops/sums.h"
#include "engine/backend/vulkan/kernels_of_sums.h"

namespace hw::vulkan {

template <>
struct KernelOf<gpu::NormOf> {
  static std::string name() { return "NormOf"; }
  static Constants constants(const gpu::NormOf& f) { return constants_of(f.y.dtype); }
};

}  // namespace hw::vulkan

namespace hw::gpu {

using vulkan::VulkanLauncher;

template void plan_fold<VulkanLauncher>(OpContext&);
template void plan_gradient_norm<VulkanLauncher>(OpContext&);
template void plan_check_finite<VulkanLauncher>(OpContext&);

}  // namespace hw::gpu
