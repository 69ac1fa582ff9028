// The Launcher of engine/backend/gpu/ops/map.h on Vulkan: every functor has a kernel in GLSL, in kernels/*.glsl, which
// reads the functor's bytes.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "engine/backend/gpu/driver.h"
#include "engine/backend/gpu/ops/glsl_kernel.h"

namespace hw::vulkan {

template <class F>
int64_t turns_of(const F& f) {
  if constexpr (requires { f.turns(); })
    return f.turns();
  else
    return 0;
}

/// Launches the kernel over n items, or n workgroups, with a copy of the functor. `turns`: of its loops, for an item.
/// On a VulkanDriver. Errors: HW-R002: no such kernel, or its struct Functor has another size; HW-R001, HW-R005 of the
/// driver.
Status launch_kernel(gpu::Driver& driver, const std::string& name, const gpu::Constants& constants, int64_t n,
                     const void* functor, size_t bytes, int64_t turns);

struct VulkanLauncher {
  template <class F>
  static Status launch(gpu::Driver& driver, int64_t n, const F& f) {
    static_assert(std::is_trivially_copyable_v<F>);
    return launch_kernel(driver, F::kernel(), f.constants(), n, &f, sizeof f, turns_of(f));
  }
};

}  // namespace hw::vulkan
