// Numbers rounded to a dtype, in memory of another. No kernels: a family begins with a line `include rounding.glsl`.

/// convert_bodies::tf32_of.
float tf32_of(float value) {
  const uint bits = floatBitsToUint(value);
  if ((bits & 0x7F800000u) == 0x7F800000u) return uintBitsToFloat(is_nan(value) ? bits | 0x400000u : bits);
  return uintBitsToFloat((bits + 0xFFFu + ((bits >> 13) & 1u)) & ~0x1FFFu);
}
double tf32_of(double value) {
  if (value == 0.0lf || !is_finite(value)) return value;
  const int least = -136;  // of the smallest subnormal number
  const int exponent = int((bits_of(value) >> 52) & 0x7FFul) - 1023, own = exponent - 10;
  const int place = own < least ? least : own;
  const double rounded = scaled(roundEven(scaled(value, -place)), place);
  const double most = (2.0lf - power_of_two(-10)) * power_of_two(127);
  if (abs(rounded) <= most) return rounded;
  return double_of((bits_of(value) & 0x8000000000000000ul) | 0x7FF0000000000000ul);
}

// As store_as<T>.
uint bits_as_bf16(float v) { return encode_bf16(v); }
uint bits_as_bf16(double v) { return encode(v, 8, 7, false, false); }

#ifdef REAL
/// RoundFactor::value: v as a number of a float dtype.
REAL rounded_to(int dtype, REAL v) {
  switch (dtype) {
    case kF32: return REAL(float(v));
    case kTf32: return tf32_of(v);
    case kF16: return REAL(decode_narrow(kF16, encode(v, 5, 10, false, false)));
    case kBf16: return REAL(decode_narrow(kBf16, bits_as_bf16(v)));
    case kF8e4m3: return REAL(decode_narrow(kF8e4m3, encode(v, 4, 3, true, false)));
    case kF8e5m2: return REAL(decode_narrow(kF8e5m2, encode(v, 5, 2, false, false)));
    default: return v;
  }
}
#endif
