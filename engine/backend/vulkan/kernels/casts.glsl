// Casts, by the bits of numbers: engine/backend/gpu/ops/pointwise.h. −0, NaN and subnormal numbers are what
// engine/core/convert_bodies.h makes of them.
//! include draws.glsl

/// The bits of an element as f32, which holds its dtype's numbers exactly: f32, narrower floats, i8, u8, bool.
uint f32_bits(int dtype, uint64_t data, int64_t i) {
  switch (dtype) {
    case kF32: case kTf32: return U32(data, i);
    case kF16: case kBf16: return floatBitsToUint(decode_narrow(dtype, uint(U16(data, i))));
    case kF8e5m2: return floatBitsToUint(decode_narrow(dtype, uint(U8(data, i))));
    case kF8e4m3: {
      const uint bits = uint(U8(data, i));
      if ((bits & 0x7Fu) == 0x7Fu) return 0x7FC00000u | (bits & 0x80u) << 24;
      return floatBitsToUint(decode_narrow(dtype, bits));
    }
    default: return floatBitsToUint(float(int(load_whole(dtype, data, i))));
  }
}

/// convert_bodies::store of a double.
void store_rounded(int dtype, uint64_t data, int64_t i, double value, bool saturate) {
  const uint64_t bits = bits_of(value), magnitude = bits & 0x7FFFFFFFFFFFFFFFul;
  switch (dtype) {
    case kF64: U64(data, i) = saturate && magnitude == 0x7FF0000000000000ul ? bits - 1ul : bits; return;
    case kF32: case kTf32: U32(data, i) = encode(value, 8, 23, false, saturate); return;
    case kF16: U16(data, i) = uint16_t(encode(value, 5, 10, false, saturate)); return;
    case kBf16: U16(data, i) = uint16_t(encode(value, 8, 7, false, saturate)); return;
    case kF8e4m3: U8(data, i) = uint8_t(encode(value, 4, 3, true, saturate)); return;
    case kF8e5m2: U8(data, i) = uint8_t(encode(value, 5, 2, false, saturate)); return;
    case kBoolean: U8(data, i) = uint8_t(magnitude != 0ul ? 1u : 0u); return;
    default: store(dtype, data, i, value);
  }
}

/// The same of the f32 with these bits.
void store_rounded(int dtype, uint64_t data, int64_t i, uint bits, bool saturate) {
  const uint magnitude = bits & 0x7FFFFFFFu, most = saturate && magnitude == 0x7F800000u ? bits - 1u : bits;
  const float value = uintBitsToFloat(bits);
  switch (dtype) {
    case kF32: case kTf32: U32(data, i) = magnitude > 0x7F800000u ? bits | 0x400000u : most; return;
    case kF16: U16(data, i) = uint16_t(encode(value, 5, 10, false, saturate)); return;
    case kBf16: {
      const uint code = encode_bf16(value);
      U16(data, i) = uint16_t(saturate && (code & 0x7FFFu) == 0x7F80u ? code - 1u : code);
      return;
    }
    case kF8e4m3: U8(data, i) = uint8_t(encode(value, 4, 3, true, saturate)); return;
    case kF8e5m2: U8(data, i) = uint8_t(encode(value, 5, 2, false, saturate)); return;
    case kBoolean: U8(data, i) = uint8_t(magnitude != 0u ? 1u : 0u); return;
    default: store_rounded(dtype, data, i, decode(bits, 8, 23, false), saturate);
  }
}

/// convert_bodies::round_to_odd.
double round_to_odd(int64_t value) {
  const uint64_t magnitude = value < 0l ? 0ul - uint64_t(value) : uint64_t(value);
  const int shift = findMSB(uint(magnitude >> 32)) + 33 - 53;  // of magnitudes below 2^32: not positive
  if (shift <= 0) return double(value);
  const bool lost = (magnitude & ((1ul << shift) - 1ul)) != 0ul;
  const double result = double((magnitude >> shift) | (lost ? 1ul : 0ul)) * power_of_two(shift);
  return value < 0l ? -result : result;
}

int64_t within(int64_t value, int64_t lo, int64_t hi) { return value < lo ? lo : value > hi ? hi : value; }

/// convert_bodies::store of a whole number.
void store_rounded(int dtype, uint64_t data, int64_t i, int64_t value, bool saturate) {
  switch (dtype) {
    case kBoolean: U8(data, i) = uint8_t(value != 0l ? 1u : 0u); return;
    case kF64: F64(data, i) = double(value); return;
    case kI8: I8(data, i) = int8_t(int(within(value, -128l, 127l))); return;
    case kU8: U8(data, i) = uint8_t(uint(within(value, 0l, 255l))); return;
    case kI32: I32(data, i) = int(within(value, -2147483648l, 2147483647l)); return;
    case kI64: I64(data, i) = value; return;
    default: store_rounded(dtype, data, i, round_to_odd(value), saturate);
  }
}

//! kernel Cast
layout(constant_id = 0) const int X = 1;
layout(constant_id = 1) const int Y = 1;
layout(constant_id = 2) const int SATURATE = 0;
struct Functor {
  Memory x, y;
  uint8_t saturate, pad[7];
};
//! functor
void item(int64_t i) {
  if (X == kI64 || (X != kI32 && is_whole(X) && is_whole(Y)))
    store_rounded(Y, f.y.data, i, load_whole(X, f.x.data, i), SATURATE != 0);
  else if (X == kF64 || X == kI32)  // f64 holds every i32; Mesa's llvmpipe compares an int64_t(int) wrongly
    store_rounded(Y, f.y.data, i, load64(X, f.x.data, i), SATURATE != 0);
  else
    store_rounded(Y, f.y.data, i, f32_bits(X, f.x.data, i), SATURATE != 0);
}

//! kernel StochasticCast
layout(constant_id = 0) const int X = 1;
layout(constant_id = 1) const int Y = 1;
layout(constant_id = 2) const int SATURATE = 0;
struct Functor {
  Memory x, y;
  uint8_t saturate, pad[3];
  int mantissa_bits, min_exponent;  // kernels::RoundingFormat
  int pad_2;
  Drawn drawn;
};
//! functor
/// kernels::stochastic_round; the divisors are powers of two.
double stochastic_round(double x, double u) {
  const uint64_t bits = bits_of(x), sign = bits & 0x8000000000000000ul, magnitude = bits ^ sign;
  const int exponent = int(magnitude >> 52) - 1023;
  if (exponent == 1024 || magnitude == 0ul) return x;
  const int below = exponent < f.min_exponent ? f.min_exponent - exponent : 0;
  const int shift = 52 - f.mantissa_bits + below;
  const int least = f.min_exponent - f.mantissa_bits;
  if (shift > 52) {
    const uint64_t away = u < double_of(magnitude) * power_of_two(-least) ? bits_of(power_of_two(least)) : 0ul;
    return double_of(sign | away);
  }
  if (shift <= 0) return x;
  const uint64_t unit = 1ul << shift, rest = magnitude & (unit - 1ul);
  const double share = double(rest) * power_of_two(-shift);
  return double_of(sign | (magnitude - rest + (u < share ? unit : 0ul)));
}
void item(int64_t block) {
  int64_t begin;
  const uvec4 words = drawn_words(f.drawn, block, begin);
  for (int k = 0; k < 4; ++k) {
    const int64_t i = begin + k;
    if (!drawn_has(i, f.drawn.size)) continue;
    const double value = stochastic_round(load64(X, f.x.data, i), unit64_of(words[k]));
    store_rounded(Y, f.y.data, i, value, SATURATE != 0);
  }
}

