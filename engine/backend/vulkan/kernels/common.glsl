// What every kernel has: its functor, elements of tensors by dtype, strides, random numbers. make_kernels puts it
// behind #version, the extensions, and REAL (float or double), and before the bodies of engine/kernels.

layout(local_size_x = 64) in;

/// functor: the address of the C++ functor's bytes; items: i in [0, items).
layout(push_constant, scalar) uniform Push {
  uint64_t functor;
  int64_t items;
} push;

// Memory by its address: F32(data, i) is element i of the floats there, to read and to write.
layout(buffer_reference, scalar, buffer_reference_align = 1) buffer U8At { uint8_t v; };
layout(buffer_reference, scalar, buffer_reference_align = 1) buffer I8At { int8_t v; };
layout(buffer_reference, scalar, buffer_reference_align = 2) buffer U16At { uint16_t v; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer I32At { int v; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer U32At { uint v; };
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer I64At { int64_t v; };
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer U64At { uint64_t v; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer F32At { float v; };
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer F64At { double v; };
#define U8(data, i) U8At((data) + 1ul * uint64_t(i)).v
#define I8(data, i) I8At((data) + 1ul * uint64_t(i)).v
#define U16(data, i) U16At((data) + 2ul * uint64_t(i)).v
#define I32(data, i) I32At((data) + 4ul * uint64_t(i)).v
#define U32(data, i) U32At((data) + 4ul * uint64_t(i)).v
#define I64(data, i) I64At((data) + 8ul * uint64_t(i)).v
#define U64(data, i) U64At((data) + 8ul * uint64_t(i)).v
#define F32(data, i) F32At((data) + 4ul * uint64_t(i)).v
#define F64(data, i) F64At((data) + 8ul * uint64_t(i)).v

// hw::DType, in its order.
const int kF64 = 0, kF32 = 1, kTf32 = 2, kF16 = 3, kBf16 = 4, kF8e4m3 = 5, kF8e5m2 = 6, kI8 = 7, kU8 = 8, kI32 = 9,
          kI64 = 10, kBoolean = 11;

/// kernels::Source, kernels::Target. Its dtype is a specialisation constant of the kernel.
struct Memory {
  uint64_t dtype, data;
};

/// kernels::StridedIndex. Its number of axes is a specialisation constant of the kernel.
struct StridedIndex {
  int64_t axes, offset;
  int64_t size[8], stride[8];
};

/// int64_t NAME(int64_t i): where element i lies by a StridedIndex; `strided`: its place in memory, f.at_a.
#define STRIDED(NAME, strided, AXES)                                 \
  int64_t NAME(int64_t i) {                                          \
    int64_t at = strided.offset;                                     \
    for (int d = AXES - 1; d > 0; --d) {                             \
      at += i % strided.size[d] * strided.stride[d];                 \
      i /= strided.size[d];                                          \
    }                                                                \
    return AXES > 0 ? at + i * strided.stride[0] : at;               \
  }

// ---- bits

bool is_nan(float x) { return (floatBitsToUint(x) & 0x7FFFFFFFu) > 0x7F800000u; }
bool is_finite(float x) { return (floatBitsToUint(x) & 0x7F800000u) != 0x7F800000u; }
uint64_t bits_of(double x) { return packUint2x32(unpackDouble2x32(x)); }
double double_of(uint64_t bits) { return packDouble2x32(unpackUint2x32(bits)); }
bool is_nan(double x) { return (bits_of(x) & 0x7FFFFFFFFFFFFFFFul) > 0x7FF0000000000000ul; }
bool is_finite(double x) { return (bits_of(x) & 0x7FF0000000000000ul) != 0x7FF0000000000000ul; }
float nan32() { return uintBitsToFloat(0x7FC00000u); }
float inf32() { return uintBitsToFloat(0x7F800000u); }
double nan64() { return double_of(0x7FF8000000000000ul); }
double inf64() { return double_of(0x7FF0000000000000ul); }

/// 2^e for −1023 < e < 1024.
double power_of_two(int e) { return double_of(uint64_t(e + 1023) << 52); }
/// x · 2^e for |e| ≤ 2044, rounded once where the result is normal.
double scaled(double x, int e) { return x * power_of_two(e / 2) * power_of_two(e - e / 2); }

/// The bits of a number of the format with so many exponent and mantissa bits, as a double's; convert_bodies::Format.
/// finite_only: no Inf, one NaN.
double decode(uint bits, int exponent_bits, int mantissa_bits, bool finite_only) {
  const uint sign = 1u << (exponent_bits + mantissa_bits), magnitude = bits & (sign - 1u);
  const uint infinity = ((1u << exponent_bits) - 1u) << mantissa_bits;
  const uint mantissa = magnitude & ((1u << mantissa_bits) - 1u);
  const int bias = (1 << (exponent_bits - 1)) - 1, exponent = int(magnitude >> mantissa_bits);
  const uint64_t negative = (bits & sign) != 0u ? 0x8000000000000000ul : 0ul;
  if (finite_only ? magnitude == sign - 1u : magnitude > infinity)
    return double_of(negative | 0x7FF8000000000000ul |
                     (finite_only ? 0ul : uint64_t(mantissa) << (52 - mantissa_bits)));
  if (!finite_only && magnitude == infinity) return double_of(negative | 0x7FF0000000000000ul);
  if (exponent == 0) {
    const double small = double(mantissa) * power_of_two(1 - bias - mantissa_bits);
    return double_of(bits_of(small) | negative);
  }
  return double_of(negative | uint64_t(exponent - bias + 1023) << 52 | uint64_t(mantissa) << (52 - mantissa_bits));
}

/// One rounding, nearest even.
uint encode(double value, int exponent_bits, int mantissa_bits, bool finite_only, bool saturate) {
  const uint sign_bit = 1u << (exponent_bits + mantissa_bits), infinity = ((1u << exponent_bits) - 1u) << mantissa_bits;
  const uint nan = finite_only ? sign_bit - 1u : infinity | 1u << (mantissa_bits - 1);
  const uint most = (finite_only ? sign_bit - 1u : infinity) - 1u;
  const int bias = (1 << (exponent_bits - 1)) - 1, least = 1 - bias;
  const uint64_t bits = bits_of(value), magnitude = bits & 0x7FFFFFFFFFFFFFFFul;
  const uint sign = (bits >> 63) != 0ul ? sign_bit : 0u;
  if (magnitude > 0x7FF0000000000000ul)
    return sign | nan | (finite_only ? 0u : uint((magnitude & 0xFFFFFFFFFFFFFul) >> (52 - mantissa_bits)));
  const int exponent = int(magnitude >> 52) - 1023;
  if (exponent < least - mantissa_bits - 1) return sign;
  const int below = exponent < least ? least - exponent : 0, shift = 52 - mantissa_bits + below;
  const uint64_t mantissa = (magnitude & 0xFFFFFFFFFFFFFul) | 1ul << 52;
  uint64_t kept = mantissa >> shift;
  const uint64_t rest = mantissa & ((1ul << shift) - 1ul), half_unit = 1ul << (shift - 1);
  if (rest > half_unit || (rest == half_unit && (kept & 1ul) != 0ul)) ++kept;
  const uint64_t code = below > 0 ? kept : (uint64_t(exponent + bias - 1) << mantissa_bits) + kept;
  if (code > uint64_t(most)) return sign | (saturate ? most : finite_only ? nan : infinity);
  return sign | uint(code);
}

// The same of f32, in 32 bits.
uint encode(float value, int exponent_bits, int mantissa_bits, bool finite_only, bool saturate) {
  const uint sign_bit = 1u << (exponent_bits + mantissa_bits), infinity = ((1u << exponent_bits) - 1u) << mantissa_bits;
  const uint nan = finite_only ? sign_bit - 1u : infinity | 1u << (mantissa_bits - 1);
  const uint most = (finite_only ? sign_bit - 1u : infinity) - 1u;
  const int bias = (1 << (exponent_bits - 1)) - 1, least = 1 - bias;
  const uint bits = floatBitsToUint(value), magnitude = bits & 0x7FFFFFFFu;
  const uint sign = (bits >> 31) != 0u ? sign_bit : 0u;
  if (magnitude > 0x7F800000u)
    return sign | nan | (finite_only ? 0u : (magnitude & 0x7FFFFFu) >> (23 - mantissa_bits));
  const int exponent = int(magnitude >> 23) - 127;
  if (exponent < least - mantissa_bits - 1) return sign;
  const int below = exponent < least ? least - exponent : 0, shift = 23 - mantissa_bits + below;
  const uint mantissa = (magnitude & 0x7FFFFFu) | 1u << 23;
  uint kept = mantissa >> shift;
  const uint rest = mantissa & ((1u << shift) - 1u), half_unit = 1u << (shift - 1);
  if (rest > half_unit || (rest == half_unit && (kept & 1u) != 0u)) ++kept;
  const uint code = below > 0 ? kept : (uint(exponent + bias - 1) << mantissa_bits) + kept;
  if (code > most) return sign | (saturate ? most : finite_only ? nan : infinity);
  return sign | code;
}
uint encode_bf16(float value) {
  const uint bits = floatBitsToUint(value);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return (bits >> 16) | 0x40u;
  return (bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16;
}

// ---- elements; `dtype` is a constant

/// A float of a narrow dtype, exact.
float decode_narrow(int dtype, uint bits) {
  if (dtype == kBf16) return uintBitsToFloat(bits << 16);
  // f8e5m2 is the upper half of f16; f8e4m3 as f16 is 256 times too small.
  uint half_bits = bits;
  if (dtype == kF8e5m2) half_bits = bits << 8;
  if (dtype == kF8e4m3) half_bits = (bits & 0x80u) << 8 | ((bits & 0x7Fu) == 0x7Fu ? 0x7E00u : (bits & 0x7Fu) << 7);
  const uint magnitude = half_bits & 0x7FFFu, sign = (half_bits & 0x8000u) << 16;
  float value = uintBitsToFloat((magnitude << 13) + (112u << 23));
  if (magnitude < 0x400u) value = float(magnitude) * 5.9604644775390625e-8;
  if (magnitude >= 0x7C00u)
    value = uintBitsToFloat((magnitude << 13) | 0x7F800000u | (magnitude > 0x7C00u ? 0x400000u : 0u));
  if (dtype == kF8e4m3) value = value * 256.0;
  return uintBitsToFloat(floatBitsToUint(value) | sign);
}

/// By its halves: llvmpipe (LLVM 15) compares int64_t(v) with constants wrongly.
int64_t widened(int v) { return packInt2x32(ivec2(v, v >> 31)); }

int64_t load_whole(int dtype, uint64_t data, int64_t i) {
  switch (dtype) {
    case kI8: return widened(int(I8(data, i)));
    case kU8: return int64_t(U8(data, i));
    case kBoolean: return U8(data, i) != uint8_t(0) ? 1l : 0l;
    case kI32: return widened(I32(data, i));
    default: return I64(data, i);
  }
}
bool is_whole(int dtype) { return dtype >= kI8; }

double load64(int dtype, uint64_t data, int64_t i) {
  switch (dtype) {
    case kF64: return F64(data, i);
    case kF32: case kTf32: return double(F32(data, i));
    case kF16: case kBf16: return double(decode_narrow(dtype, uint(U16(data, i))));
    case kF8e4m3: case kF8e5m2: return double(decode_narrow(dtype, uint(U8(data, i))));
    default: return double(load_whole(dtype, data, i));
  }
}
float load32(int dtype, uint64_t data, int64_t i) {
  switch (dtype) {
    case kF64: return float(F64(data, i));
    case kF32: case kTf32: return F32(data, i);
    case kF16: case kBf16: return decode_narrow(dtype, uint(U16(data, i)));
    case kF8e4m3: case kF8e5m2: return decode_narrow(dtype, uint(U8(data, i)));
    default: return float(load_whole(dtype, data, i));
  }
}

/// As convert_bodies::store of a double: whole numbers without their fraction, within their range, NaN as 0.
void store(int dtype, uint64_t data, int64_t i, double value) {
  switch (dtype) {
    case kF64: F64(data, i) = value; return;
    case kF32: case kTf32: F32(data, i) = float(value); return;
    case kF16: U16(data, i) = uint16_t(encode(value, 5, 10, false, false)); return;
    case kBf16: U16(data, i) = uint16_t(encode(value, 8, 7, false, false)); return;
    case kF8e4m3: U8(data, i) = uint8_t(encode(value, 4, 3, true, false)); return;
    case kF8e5m2: U8(data, i) = uint8_t(encode(value, 5, 2, false, false)); return;
    case kBoolean: U8(data, i) = uint8_t(value != 0.0 ? 1u : 0u); return;
    case kI8: I8(data, i) = is_nan(value) ? int8_t(0) : int8_t(int(clamp(value, -128.0lf, 127.0lf))); return;
    case kU8: U8(data, i) = is_nan(value) ? uint8_t(0) : uint8_t(uint(clamp(value, 0.0lf, 255.0lf))); return;
    case kI32: I32(data, i) = is_nan(value) ? 0 : int(clamp(value, -2147483648.0lf, 2147483647.0lf)); return;
    default:
      if (is_nan(value)) I64(data, i) = 0l;
      else if (value <= -9223372036854775808.0lf) I64(data, i) = -9223372036854775807l - 1l;
      else if (value >= 9223372036854775808.0lf) I64(data, i) = 9223372036854775807l;
      else I64(data, i) = int64_t(value);
  }
}
void store(int dtype, uint64_t data, int64_t i, float value) {
  switch (dtype) {
    case kF32: case kTf32: F32(data, i) = value; return;
    case kF16: U16(data, i) = uint16_t(encode(value, 5, 10, false, false)); return;
    case kBf16: U16(data, i) = uint16_t(encode_bf16(value)); return;
    case kF8e4m3: U8(data, i) = uint8_t(encode(value, 4, 3, true, false)); return;
    case kF8e5m2: U8(data, i) = uint8_t(encode(value, 5, 2, false, false)); return;
    default: store(dtype, data, i, double(value));
  }
}

/// Element `from` of one tensor as element `to` of another of the same dtype, bit by bit.
void copy_element(int dtype, uint64_t to_data, int64_t to, uint64_t from_data, int64_t from) {
  switch (dtype) {
    case kF64: case kI64: U64(to_data, to) = U64(from_data, from); return;
    case kF32: case kTf32: case kI32: U32(to_data, to) = U32(from_data, from); return;
    case kF16: case kBf16: U16(to_data, to) = U16(from_data, from); return;
    default: U8(to_data, to) = U8(from_data, from);
  }
}

/// gpu::StepData.
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer Step {
  uint64_t seed, step;
  double learning_rate, update;
  int starts_sums;
};

#ifdef REAL
/// An element as REAL.
#ifdef REAL_IS_F64
REAL load(int dtype, uint64_t data, int64_t i) { return load64(dtype, data, i); }
#else
REAL load(int dtype, uint64_t data, int64_t i) { return load32(dtype, data, i); }
#endif
#endif
