// Elementwise ops on Vulkan: kernels/pointwise.glsl, casts.glsl.
#include <algorithm>
#include <cstddef>

#include "engine/backend/gpu/ops/pointwise.h"
#include "engine/backend/vulkan/launcher.h"

namespace hw::vulkan {

// What kernels name by number: dtypes (common.glsl), comparisons.
static_assert(static_cast<int>(DType::f32) == 1 && static_cast<int>(DType::f16) == 3 &&
              static_cast<int>(DType::f8e5m2) == 6 && static_cast<int>(DType::i8) == 7 &&
              static_cast<int>(DType::boolean) == 11);
static_assert(static_cast<int>(CompareFn::not_equal) == 1 && static_cast<int>(CompareFn::less) == 2 &&
              static_cast<int>(CompareFn::greater) == 4 && static_cast<int>(CompareFn::greater_equal) == 5);
static_assert(offsetof(gpu::StepData, starts_sums) == 32);

inline constexpr Op kArithmetic[] = {Op::add,        Op::sub,  Op::mul,       Op::scale,   Op::clamp,
                                     Op::clamp_grad, Op::relu, Op::relu_grad, Op::sigmoid, Op::sigmoid_grad};

template <class T>
struct KernelOf<gpu::Arithmetic<T>> {
  static std::string name() { return "Arithmetic" + suffix_of<T>(); }
  static Constants constants(const gpu::Arithmetic<T>& f) {
    const auto row = std::ranges::find(kArithmetic, f.op) - kArithmetic;
    return constants_of(row, f.a.dtype, f.b.dtype, f.y.dtype, f.at_a.axes, f.at_b.axes);
  }
};

template <class T>
struct KernelOf<gpu::Affine<T>> {
  static std::string name() { return "Affine" + suffix_of<T>(); }
  static Constants constants(const gpu::Affine<T>& f) { return constants_of(f.x.dtype, f.y.dtype); }
};

template <class T>
struct KernelOf<gpu::Unary<T>> {
  static std::string name() { return "Unary" + suffix_of<T>(); }
  static Constants constants(const gpu::Unary<T>& f) { return constants_of(f.fn, f.x.dtype, f.y.dtype); }
};

template <class T>
struct KernelOf<gpu::UnaryGrad<T>> {
  static std::string name() { return "UnaryGrad" + suffix_of<T>(); }
  static Constants constants(const gpu::UnaryGrad<T>& f) { return constants_of(f.fn, f.g.dtype, f.x.dtype, f.y.dtype); }
};

template <class T>
struct KernelOf<gpu::Binary<T>> {
  static std::string name() { return "Binary" + suffix_of<T>(); }
  static Constants constants(const gpu::Binary<T>& f) {
    return constants_of(f.fn, f.a.dtype, f.b.dtype, f.y.dtype, f.at_a.axes, f.at_b.axes);
  }
};

template <class T>
struct KernelOf<gpu::BinaryGrad<T>> {
  static std::string name() { return "BinaryGrad" + suffix_of<T>(); }
  static Constants constants(const gpu::BinaryGrad<T>& f) {
    return constants_of(f.fn, f.by_b, f.g.dtype, f.a.dtype, f.b.dtype, f.y.dtype, f.at_a.axes, f.at_b.axes);
  }
};

template <>
struct KernelOf<gpu::Compare> {
  static std::string name() { return "Compare"; }
  static Constants constants(const gpu::Compare& f) {
    return constants_of(f.fn, f.a.dtype, f.b.dtype, f.at_a.axes, f.at_b.axes);
  }
};

template <>
struct KernelOf<gpu::Where> {
  static std::string name() { return "Where"; }
  static Constants constants(const gpu::Where& f) {
    return constants_of(f.y.dtype, f.at_condition.axes, f.at_a.axes, f.at_b.axes);
  }
};

template <>
struct KernelOf<gpu::Cast> {
  static std::string name() { return "Cast"; }
  static Constants constants(const gpu::Cast& f) { return constants_of(f.x.dtype, f.y.dtype, f.saturate); }
};

template <>
struct KernelOf<gpu::StochasticCast> {
  static std::string name() { return "StochasticCast"; }
  static Constants constants(const gpu::StochasticCast& f) { return constants_of(f.x.dtype, f.y.dtype, f.saturate); }
};

template <class T>
struct KernelOf<gpu::Dropout<T>> {
  static std::string name() { return "Dropout" + suffix_of<T>(); }
  static Constants constants(const gpu::Dropout<T>& f) { return constants_of(f.x.dtype, f.y.dtype); }
};

template <class T>
struct KernelOf<gpu::Uniform<T>> {
  static std::string name() { return "Uniform" + suffix_of<T>(); }
  static Constants constants(const gpu::Uniform<T>& f) { return constants_of(f.y.dtype); }
};

template <class T>
struct KernelOf<gpu::Normal<T>> {
  static std::string name() { return "Normal" + suffix_of<T>(); }
  static Constants constants(const gpu::Normal<T>& f) { return constants_of(f.y.dtype); }
};

}  // namespace hw::vulkan

namespace hw::gpu {

using vulkan::VulkanLauncher;

template void plan_arithmetic<VulkanLauncher>(OpContext&);
template void plan_affine<VulkanLauncher>(OpContext&);
template void plan_unary<VulkanLauncher>(OpContext&);
template void plan_binary<VulkanLauncher>(OpContext&);
template void plan_compare<VulkanLauncher>(OpContext&);
template void plan_cast<VulkanLauncher>(OpContext&);
template void plan_random<VulkanLauncher>(OpContext&);

}  // namespace hw::gpu
