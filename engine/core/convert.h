// Conversions between dtypes: nearest, ties to even, one rounding from the source format.
// f8e4m3 has no Inf: out of range becomes NaN, or ±448 when `saturate`; other floats overflow to ±Inf unless
// `saturate`.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/core/dtype.h"

namespace hw {

/// Scalar bodies, usable on every device. Each takes and gives the raw bit pattern of the narrow format.
float f16_to_f32(uint16_t bits);
uint16_t f32_to_f16(float value);
uint16_t f64_to_f16(double value);
float bf16_to_f32(uint16_t bits);
uint16_t f32_to_bf16(float value);
float f8e4m3_to_f32(uint8_t bits);
uint8_t f32_to_f8e4m3(float value, bool saturate);
uint8_t f64_to_f8e4m3(double value, bool saturate);
float f8e5m2_to_f32(uint8_t bits);
uint8_t f32_to_f8e5m2(float value, bool saturate);
uint8_t f64_to_f8e5m2(double value, bool saturate);
/// f32 with the mantissa rounded to 10 bits.
float round_to_tf32(float value);
/// The same in one rounding from f64; beyond the largest tf32 number: ±Inf.
double round_to_tf32(double value);

/// Converts `count` elements. Any storable dtype to any; integers saturate, NaN → 0, float → integer truncates, bool is
/// x ≠ 0. `saturate` turns ±Inf of the source into ±max too; NaN stays NaN.
/// Single threaded, vectorised where the CPU can; same bits on every instruction set. Buffers must not overlap.
void convert(DType to, void* dst, DType from, const void* src, size_t count, bool saturate = false);

/// Values as they are after a rounding to `format`, a float that need not be storable: `from` → `format` → `to`,
/// floats. What a product in a compute dtype does to its factors.
void round_through(DType format, DType to, void* dst, DType from, const void* src, size_t count);

}  // namespace hw
