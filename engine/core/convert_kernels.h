// The vectorised conversions among the narrow floats and f32, one table per instruction set. All give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/core/cpu_features.h"

namespace hw {

/// Buffers of `count` elements that do not overlap; any alignment of the element's size.
struct ConvertKernels {
  void (*f16_to_f32)(float* dst, const uint16_t* src, size_t count);
  void (*f32_to_f16)(uint16_t* dst, const float* src, size_t count);
  void (*bf16_to_f32)(float* dst, const uint16_t* src, size_t count);
  void (*f32_to_bf16)(uint16_t* dst, const float* src, size_t count);
  void (*f16_to_bf16)(uint16_t* dst, const uint16_t* src, size_t count);
  void (*bf16_to_f16)(uint16_t* dst, const uint16_t* src, size_t count);
  void (*f8e4m3_to_f32)(float* dst, const uint8_t* src, size_t count);
  void (*f32_to_f8e4m3)(uint8_t* dst, const float* src, size_t count);
  void (*f8e5m2_to_f32)(float* dst, const uint8_t* src, size_t count);
  void (*f32_to_f8e5m2)(uint8_t* dst, const float* src, size_t count);
  void (*f8e4m3_to_bf16)(uint16_t* dst, const uint8_t* src, size_t count);
  void (*f8e5m2_to_bf16)(uint16_t* dst, const uint8_t* src, size_t count);
  void (*f32_to_tf32)(float* dst, const float* src, size_t count);
};

/// The table for `isa`; asserts that this CPU has it.
const ConvertKernels& convert_kernels(Isa isa);

extern const ConvertKernels kConvertScalar, kConvertAvx2, kConvertAvx512;

}  // namespace hw
