// What a functor says of its kernel in GLSL (engine/backend/vulkan/kernels), which runs in the place of its body.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/core/dtype.h"

namespace hw::gpu {

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

template <class T>
inline constexpr DType kDTypeOf = std::is_same_v<T, double> ? DType::f64 : DType::f32;

}  // namespace hw::gpu

/// Within a functor: the kernel of that name, and its constants. Where an item may turn its loops thousands of times,
/// the functor also has `int64_t turns() const`, which says how often: vulkan::Context::most_turns.
#define HW_KERNEL(name, ...)                     \
  static std::string kernel() {                  \
    return #name;                                \
  }                                              \
  ::hw::gpu::Constants constants() const {       \
    return ::hw::gpu::constants_of(__VA_ARGS__); \
  }

/// The same where the kernel is for both: Real is float or double.
#define HW_REAL_KERNEL(Real, name, ...)          \
  static std::string kernel() {                  \
    return #name + ::hw::gpu::suffix_of<Real>(); \
  }                                              \
  ::hw::gpu::Constants constants() const {       \
    return ::hw::gpu::constants_of(__VA_ARGS__); \
  }
