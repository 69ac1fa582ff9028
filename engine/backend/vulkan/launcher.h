// The Launcher of engine/backend/gpu/ops/map.h on Vulkan: every functor has a kernel in GLSL, in kernels/*.glsl, which
// reads the functor's bytes.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/backend/gpu/driver.h"

namespace hw::vulkan {

/// Values of a kernel's specialisation constants, in the order of their ids.
using Constants = std::vector<int32_t>;

template <class... Values>
Constants constants_of(Values... values) {
  return {static_cast<int32_t>(values)...};
}

/// "_f32" or "_f64": what make_kernels puts behind the name of a kernel that is for both.
template <class T>
std::string suffix_of() {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>);
  return std::is_same_v<T, float> ? "_f32" : "_f64";
}

/// For a functor F: `static std::string name()` of its kernel, and `static Constants constants(const F&)`. Where an
/// item may turn its loops thousands of times, `static int64_t turns(const F&)` says how often: Context::most_turns.
template <class F>
struct KernelOf;

template <class F>
int64_t turns_of(const F& f) {
  if constexpr (requires { KernelOf<F>::turns(f); })
    return KernelOf<F>::turns(f);
  else
    return 0;
}

/// Launches the kernel over n items, or n workgroups, with a copy of the functor. `turns`: of its loops, for an item.
/// On a VulkanDriver. Errors: HW-R002: no such kernel, or its struct Functor has another size; HW-R001, HW-R005 of the
/// driver.
Status launch_kernel(gpu::Driver& driver, const std::string& name, const Constants& constants, int64_t n,
                     const void* functor, size_t bytes, int64_t turns);

struct VulkanLauncher {
  template <class F>
  static Status launch(gpu::Driver& driver, int64_t n, const F& f) {
    static_assert(std::is_trivially_copyable_v<F>);
    return launch_kernel(driver, KernelOf<F>::name(), KernelOf<F>::constants(f), n, &f, sizeof f, turns_of(f));
  }
};

}  // namespace hw::vulkan
