// Ops along an axis, on Vulkan.
#include "engine/backend/gpu/ops/rows.h"
#include "engine/backend/vulkan/launcher.h"

namespace hw::vulkan {

template <class T>
struct KernelOf<gpu::Softmax<T>> {
  static std::string name() { return "Softmax" + suffix_of<T>(); }
  static Constants constants(const gpu::Softmax<T>& f) { return constants_of(f.log, f.x.dtype, f.y.dtype); }
  static int64_t turns(const gpu::Softmax<T>& f) { return 3 * f.runs.length; }
};

template <class T>
struct KernelOf<gpu::SoftmaxGrad<T>> {
  static std::string name() { return "SoftmaxGrad" + suffix_of<T>(); }
  static Constants constants(const gpu::SoftmaxGrad<T>& f) {
    return constants_of(f.log, f.g.dtype, f.y.dtype, f.dx.dtype);
  }
  static int64_t turns(const gpu::SoftmaxGrad<T>& f) { return 2 * f.runs.length; }
};

template <>
struct KernelOf<gpu::Argmax> {
  static std::string name() { return "Argmax"; }
  static Constants constants(const gpu::Argmax& f) { return constants_of(f.x.dtype); }
  static int64_t turns(const gpu::Argmax& f) { return f.runs.length; }
};

template <>
struct KernelOf<gpu::GatherElements> {
  static std::string name() { return "GatherElements"; }
  static Constants constants(const gpu::GatherElements& f) { return constants_of(f.index.dtype, f.y.dtype); }
};

template <>
struct KernelOf<gpu::GatherElementsGrad> {
  static std::string name() { return "GatherElementsGrad"; }
  static Constants constants(const gpu::GatherElementsGrad& f) { return constants_of(f.index.dtype, f.dx.dtype); }
};

}  // namespace hw::vulkan

namespace hw::gpu {

using vulkan::VulkanLauncher;

template void plan_softmax<VulkanLauncher>(OpContext&);
template void plan_gather_elements<VulkanLauncher>(OpContext&);

}  // namespace hw::gpu
