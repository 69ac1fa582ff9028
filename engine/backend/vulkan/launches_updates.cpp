// Optimisers, the loss scale and running sums, by the kernels of kernels/updates.glsl, running.glsl.
#include <algorithm>

#include "engine/backend/gpu/ops/updates.h"
#include "engine/backend/vulkan/launcher.h"

namespace hw::vulkan {

/// "Adam_f32" of kernels::Adam<float>. Every row of optimisers.def has a name; one that updates.glsl has no kernels for
/// compiles, and launch_kernel refuses it by that name, HW-R002.
template <class Body>
struct BodyName;
#define HW_UPDATE(name, Body, ...)                               \
  template <class T>                                             \
  struct BodyName<kernels::Body<T>> {                            \
    static std::string text() { return #Body + suffix_of<T>(); } \
  };
#include "engine/program/optimisers.def"

template <class Body>
struct KernelOf<gpu::MakeUpdateFactors<Body>> {
  static std::string name() { return "MakeUpdateFactors_" + BodyName<Body>::text(); }
  static Constants constants(const gpu::MakeUpdateFactors<Body>& f) { return constants_of(f.norm.dtype); }
  /// NAdam multiplies until its product is below 1e-18; others multiply nothing.
  static int64_t turns(const gpu::MakeUpdateFactors<Body>& f) {
    return BodyName<Body>::text().starts_with("NAdam") ? static_cast<int64_t>(42 / std::max(1 - f.attr.beta1, 1e-9))
                                                       : 0;
  }
};

template <class T, class Body>
struct KernelOf<gpu::UpdateElements<T, Body>> {
  static std::string name() { return "UpdateElements_" + BodyName<Body>::text(); }
  static Constants constants(const gpu::UpdateElements<T, Body>& f) {
    return constants_of(f.view.dtype, f.master.dtype, f.m.dtype, f.v.dtype, f.grad.dtype);
  }
};

template <>
struct KernelOf<gpu::LossScaleStep> {
  static std::string name() { return "LossScaleStep"; }
  static Constants constants(const gpu::LossScaleStep&) { return {}; }
};

template <>
struct KernelOf<gpu::MaskSum> {
  static std::string name() { return "MaskSum"; }
  static Constants constants(const gpu::MaskSum&) { return {}; }
};

template <class T>
struct KernelOf<gpu::RunningSum<T>> {
  static std::string name() { return "RunningSum" + suffix_of<T>(); }
  static Constants constants(const gpu::RunningSum<T>& f) { return constants_of(f.sum.dtype, f.x.dtype); }
};

template <class T>
struct KernelOf<gpu::RunningAverage<T>> {
  static std::string name() { return "RunningAverage" + suffix_of<T>(); }
  static Constants constants(const gpu::RunningAverage<T>& f) { return constants_of(f.average.dtype, f.x.dtype); }
};

template <class T>
struct KernelOf<gpu::MomentsUpdate<T>> {
  static std::string name() { return "MomentsUpdate" + suffix_of<T>(); }
  static Constants constants(const gpu::MomentsUpdate<T>& f) {
    return constants_of(f.mean.dtype, f.variance.dtype, f.moments.dtype);
  }
};

}  // namespace hw::vulkan

namespace hw::gpu {

using vulkan::VulkanLauncher;

template void plan_update<VulkanLauncher>(OpContext&);
template void plan_loss_scale<VulkanLauncher>(OpContext&);
template void plan_running<VulkanLauncher>(OpContext&);
template void plan_moments_update<VulkanLauncher>(OpContext&);

}  // namespace hw::gpu
