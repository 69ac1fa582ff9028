// Pooling and resizing, by the kernels of kernels/windows.glsl.
#include "engine/backend/gpu/ops/windows.h"
#include "engine/backend/vulkan/launcher.h"

namespace hw::vulkan {

/// Elements of a window, where windows lie side by side.
inline int64_t window_turns(const gpu::PlaneSizes& s) {
  const auto share = [](int64_t of, int64_t by) { return by > 0 ? (of + by - 1) / by : 0; };
  return share(s.height, s.out_h) * share(s.width, s.out_w);
}

template <class T>
struct KernelOf<gpu::Pool<T>> {
  static std::string name() { return "Pool" + suffix_of<T>(); }
  static Constants constants(const gpu::Pool<T>& f) { return constants_of(f.average, f.x.dtype, f.y.dtype); }
  static int64_t turns(const gpu::Pool<T>& f) { return window_turns(f.s); }
};

template <class T>
struct KernelOf<gpu::PoolGrad<T>> {
  static std::string name() { return "PoolGrad" + suffix_of<T>(); }
  static Constants constants(const gpu::PoolGrad<T>& f) {
    return constants_of(f.average, f.g.dtype, f.x.dtype, f.dx.dtype);
  }
  static int64_t turns(const gpu::PoolGrad<T>& f) { return window_turns(f.s); }
};

template <class T>
struct KernelOf<gpu::Resize<T>> {
  static std::string name() { return "Resize" + suffix_of<T>(); }
  static Constants constants(const gpu::Resize<T>& f) { return constants_of(f.nearest, f.x.dtype, f.y.dtype); }
};

template <class T>
struct KernelOf<gpu::ResizeGrad<T>> {
  static std::string name() { return "ResizeGrad" + suffix_of<T>(); }
  static Constants constants(const gpu::ResizeGrad<T>& f) { return constants_of(f.g.dtype, f.dx.dtype); }
  static int64_t turns(const gpu::ResizeGrad<T>& f) {
    return 4 * (f.s.out_h / f.s.height + 1) * (f.s.out_w / f.s.width + 1);
  }
};

}  // namespace hw::vulkan

namespace hw::gpu {

using vulkan::VulkanLauncher;

template void plan_pool<VulkanLauncher>(OpContext&);
template void plan_resize<VulkanLauncher>(OpContext&);

}  // namespace hw::gpu
