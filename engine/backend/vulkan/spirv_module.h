// What is asked of SPIR-V as words, and changed in it. Knows nothing of Vulkan.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/result.h"

namespace hw::vulkan {

/// Decorates all arithmetic of floats NoContraction: a · b + c stays two roundings on every driver.
void forbid_contraction(std::vector<uint32_t>& words);

/// How floats are to be computed: execution modes of the entry point.
struct FloatModes {
  bool preserves_nan_f32 = false, preserves_nan_f64 = false;  // −0, Inf and NaN stay: SignedZeroInfNanPreserve
  bool preserves_subnormal_f32 = false, preserves_subnormal_f64 = false;  // DenormPreserve
  bool rounds_even_f32 = false, rounds_even_f64 = false;                  // RoundingModeRTE
};
/// Asks for them, which the device must have (VkPhysicalDeviceFloatControlsProperties).
void add_float_modes(std::vector<uint32_t>& words, const FloatModes& modes);

/// The size of the struct that the only block of one struct has, its last padding left out. Error HW-R008: there is
/// none.
Result<uint32_t> functor_bytes(std::span<const uint32_t> words);

}  // namespace hw::vulkan
