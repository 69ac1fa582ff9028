// Ops that move elements without computing, on Vulkan: kernels/layout.glsl.
#include "engine/backend/gpu/ops/layout_ops.h"
#include "engine/backend/vulkan/launcher.h"

namespace hw::vulkan {

template <>
struct KernelOf<gpu::StridedCopy> {
  static std::string name() { return "StridedCopy"; }
  static Constants constants(const gpu::StridedCopy& f) { return constants_of(f.bytes, f.from.axes, f.to.axes); }
};

template <>
struct KernelOf<gpu::Fill> {
  static std::string name() { return "Fill"; }
  static Constants constants(const gpu::Fill& f) { return constants_of(f.y.dtype); }
};

}  // namespace hw::vulkan

namespace hw::gpu {

using vulkan::VulkanLauncher;

template void plan_rearrange<VulkanLauncher>(OpContext&);

}  // namespace hw::gpu
