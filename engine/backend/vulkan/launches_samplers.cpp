// Sources on Vulkan: points of surfaces and pictures, rows of data sets.
#include "engine/backend/gpu/ops/samplers.h"
#include "engine/backend/vulkan/launcher.h"

namespace hw::vulkan {

template <>
struct KernelOf<gpu::SampleSurface> {
  static std::string name() { return "SampleSurface"; }
  static Constants constants(const gpu::SampleSurface&) { return {}; }
};

template <class Channel>
struct KernelOf<gpu::SampleImage<Channel>> {
  static std::string name() { return "SampleImage"; }
  static Constants constants(const gpu::SampleImage<Channel>& f) { return constants_of(sizeof(Channel), f.mode); }
};

template <>
struct KernelOf<gpu::ChooseRow> {
  static std::string name() { return "ChooseRow"; }
  static Constants constants(const gpu::ChooseRow& f) { return constants_of(f.order.shuffle); }
};

template <>
struct KernelOf<gpu::CopyRow> {
  static std::string name() { return "CopyRow"; }
  static Constants constants(const gpu::CopyRow& f) { return constants_of(f.data.dtype); }
};

}  // namespace hw::vulkan

namespace hw::gpu {

using vulkan::VulkanLauncher;

template void plan_sample_surface<VulkanLauncher>(OpContext&);
template void plan_sample_data<VulkanLauncher>(OpContext&);

}  // namespace hw::gpu
