// gpu::ExactSums of engine/backend/gpu/ops/scatter.h, for the families that include it.

struct ExactSums {
  uint64_t sums, bad, largest;
  int bits, pad;
};

/// std::frexp's exponent of a double > 0 by its bits; of anything else 0.
int exponent_of(uint64_t bits) {
  if (bits == 0ul || (bits >> 63) != 0ul) return 0;
  if (bits >= 1ul << 52) return int(bits >> 52) - 1022;
  const uint high = uint(bits >> 32);
  return (high != 0u ? findMSB(high) + 32 : findMSB(uint(bits))) - 1073;
}
int unit_of(uint64_t largest, int bits) { return exponent_of(U64(largest, 0)) - bits; }
int64_t units_of(double value, int unit) { return int64_t(roundEven(scaled(value, -unit))); }
double sum_of(int64_t units, bool bad, int unit) { return bad ? nan64() : scaled(double(units), unit); }

// By macros, so that the ExactSums are not copied, and only kernels that add need 64-bit atomics.

/// ExactSums::add: add(f.sums, at, value);
#define add(exact, at, value)                                                                   \
  {                                                                                             \
    const int64_t place_ = at;                                                                  \
    const double value_ = value;                                                                \
    if (is_finite(value_))                                                                      \
      atomicAdd(I64(exact.sums, place_), units_of(value_, unit_of(exact.largest, exact.bits))); \
    else                                                                                        \
      U8(exact.bad, place_) = uint8_t(1);                                                       \
  }
/// ExactSums::value: value_at(f.sums, at).
#define value_at(exact, at) \
  sum_of(I64(exact.sums, at), U8(exact.bad, at) != uint8_t(0), unit_of(exact.largest, exact.bits))
