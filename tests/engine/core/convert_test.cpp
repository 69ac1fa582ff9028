// Conversions, exhaustively: every narrow pattern up and back, every tie, vector code against scalar, tails included.
#include "engine/core/convert.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "engine/core/convert_bodies.h"
#include "engine/core/convert_kernels.h"

namespace hw {
namespace {

uint16_t bf16_of(double value) {
  uint16_t bits;
  convert(DType::bf16, &bits, DType::f64, &value, 1);
  return bits;
}

struct Narrow {
  DType dtype;
  uint32_t patterns;  // count of bit patterns
  double (*decode)(uint32_t);
  uint32_t (*from_f32)(float);
  uint32_t (*from_f64)(double);
};

const Narrow kNarrow[] = {
    {DType::f16, 65536, [](uint32_t b) -> double { return f16_to_f32(uint16_t(b)); },
     [](float v) -> uint32_t { return f32_to_f16(v); }, [](double v) -> uint32_t { return f64_to_f16(v); }},
    {DType::bf16, 65536, [](uint32_t b) -> double { return bf16_to_f32(uint16_t(b)); },
     [](float v) -> uint32_t { return f32_to_bf16(v); }, [](double v) -> uint32_t { return bf16_of(v); }},
    {DType::f8e4m3, 256, [](uint32_t b) -> double { return f8e4m3_to_f32(uint8_t(b)); },
     [](float v) -> uint32_t { return f32_to_f8e4m3(v, false); },
     [](double v) -> uint32_t { return f64_to_f8e4m3(v, false); }},
    {DType::f8e5m2, 256, [](uint32_t b) -> double { return f8e5m2_to_f32(uint8_t(b)); },
     [](float v) -> uint32_t { return f32_to_f8e5m2(v, false); },
     [](double v) -> uint32_t { return f64_to_f8e5m2(v, false); }},
};

// The value of a pattern from the definition of the format, independent of the code under test.
double by_definition(const DTypeInfo& row, uint32_t bits) {
  const int m = row.mantissa_bits, e = row.exponent_bits, bias = (1 << (e - 1)) - 1;
  const uint32_t sign = bits >> (e + m), exponent = (bits >> m) & ((1u << e) - 1), mantissa = bits & ((1u << m) - 1);
  double v;
  if (row.has_inf && exponent == (1u << e) - 1) {
    v = mantissa ? std::nan("") : HUGE_VAL;
  } else if (!row.has_inf && exponent == (1u << e) - 1 && mantissa == (1u << m) - 1) {
    v = std::nan("");
  } else if (exponent == 0) {
    v = mantissa * std::pow(2.0, 1 - bias - m);
  } else {
    v = (1 + mantissa * std::pow(2.0, -m)) * std::pow(2.0, int(exponent) - bias);
  }
  return sign ? -v : v;
}

TEST(Convert, every_pattern_up_and_back) {
  for (const Narrow& n : kNarrow) {
    const DTypeInfo& row = info(n.dtype);
    for (uint32_t bits = 0; bits < n.patterns; ++bits) {
      const double expected = by_definition(row, bits), got = n.decode(bits);
      if (std::isnan(expected)) {
        ASSERT_TRUE(std::isnan(got)) << row.name << " " << bits;
        ASSERT_TRUE(std::isnan(n.decode(n.from_f32(float(got))))) << row.name << " " << bits;
        ASSERT_TRUE(std::isnan(n.decode(n.from_f64(got)))) << row.name << " " << bits;
        continue;
      }
      ASSERT_EQ(got, expected) << row.name << " " << bits;
      ASSERT_EQ(std::signbit(got), std::signbit(expected));
      ASSERT_EQ(n.from_f32(float(got)), bits) << row.name;
      ASSERT_EQ(n.from_f64(got), bits) << row.name;
    }
  }
}

// Between neighbours lo < hi: lo wins below the middle, hi above, the even pattern on the tie.
TEST(Convert, every_tie_and_its_neighbours) {
  for (const Narrow& n : kNarrow) {
    const DTypeInfo& row = info(n.dtype);
    for (uint32_t bits = 0; bits + 1 < n.patterns / 2; ++bits) {
      const double lo = n.decode(bits);
      double hi = n.decode(bits + 1);
      const bool last = lo == row.max;  // above it: Inf or NaN, decided as if the next number existed
      if (last) hi = lo + (lo - n.decode(bits - 1));
      if (std::isnan(lo) || std::isinf(lo)) continue;
      const double middle = lo + (hi - lo) / 2;
      const uint32_t even = bits % 2 == 0 ? bits : bits + 1;
      for (int sign = 0; sign < 2; ++sign) {
        const uint32_t s = sign ? n.patterns / 2 : 0;
        const double k = sign ? -1 : 1;
        ASSERT_EQ(n.from_f64(k * middle), s | even) << row.name << " tie above " << bits;
        ASSERT_EQ(n.from_f64(k * std::nextafter(middle, 0.0)), s | bits) << row.name << " " << bits;
        ASSERT_EQ(n.from_f64(k * std::nextafter(middle, HUGE_VAL)), s | (bits + 1)) << row.name << " " << bits;
        const float f = float(middle);  // the middle is exact in f32 for all four formats
        ASSERT_EQ(double(f), middle);
        ASSERT_EQ(n.from_f32(float(k) * f), s | even) << row.name << " tie above " << bits;
        ASSERT_EQ(n.from_f32(float(k) * std::nextafter(f, 0.0f)), s | bits) << row.name << " " << bits;
        ASSERT_EQ(n.from_f32(float(k) * std::nextafter(f, HUGE_VALF)), s | (bits + 1)) << row.name << " " << bits;
      }
      if (last) break;
    }
  }
}

TEST(Convert, limits_named_in_the_formats) {
  EXPECT_EQ(f32_to_f16(65520.f), 0x7C00);
  EXPECT_EQ(f32_to_f16(65519.f), 0x7BFF);
  EXPECT_EQ(f32_to_f8e4m3(464.f, false), 0x7E);
  EXPECT_EQ(f32_to_f8e4m3(465.f, false), 0x7F);
  EXPECT_EQ(f32_to_f8e4m3(465.f, true), 0x7E);
  EXPECT_EQ(f32_to_f8e4m3(-HUGE_VALF, true), 0xFE);
  EXPECT_EQ(f32_to_f8e4m3(HUGE_VALF, false), 0x7F);
  EXPECT_EQ(f32_to_f8e4m3(0x1p-10f, false), 0);
  EXPECT_EQ(f32_to_f8e5m2(61440.f, false), 0x7C);
  EXPECT_EQ(f32_to_f8e5m2(61440.f, true), 0x7B);
  EXPECT_TRUE(std::isnan(f8e4m3_to_f32(f32_to_f8e4m3(NAN, true))));
  EXPECT_TRUE(std::isnan(f8e5m2_to_f32(f32_to_f8e5m2(NAN, true))));
}

// A value just above a tie in f32's eyes must not reach the tie by being rounded to f32 first.
TEST(Convert, f64_rounds_once) {
  const double above = 1.0 + 0x1p-11 + 0x1p-40;  // f32 would make it the tie 1 + 2^-11, which goes down to 1
  EXPECT_EQ(f64_to_f16(above), 0x3C01);
  EXPECT_EQ(f32_to_f16(float(above)), 0x3C00);
  EXPECT_EQ(bf16_of(1.0 + 0x1p-8 + 0x1p-40), 0x3F81);
  EXPECT_EQ(f64_to_f8e4m3(1.0 + 0x1p-4 + 0x1p-40, false), 0x39);
  EXPECT_EQ(f64_to_f8e5m2(1.0 + 0x1p-3 + 0x1p-40, false), 0x3D);
  const int64_t big = (int64_t{1} << 54) + (int64_t{1} << 30) + 1;  // above the tie of two f32
  float single;
  convert(DType::f32, &single, DType::i64, &big, 1);
  EXPECT_EQ(single, std::nextafter(0x1p54f, HUGE_VALF));
  const int64_t half = (int64_t{1} << 62) + (int64_t{1} << 54) + 1;  // above the tie of two bf16
  uint16_t bits;
  convert(DType::bf16, &bits, DType::i64, &half, 1);
  EXPECT_EQ(bf16_to_f32(bits), 0x1p62f + 0x1p55f);
}

TEST(Convert, tf32) {
  for (uint32_t high = 0; high < 1u << 19; ++high) {  // every tf32 pattern, and the tie above it
    const uint32_t bits = high << 13;
    const float v = std::bit_cast<float>(bits);
    if (std::isnan(v)) {
      ASSERT_TRUE(std::isnan(round_to_tf32(v)));
      continue;
    }
    ASSERT_EQ(std::bit_cast<uint32_t>(round_to_tf32(v)), bits);
    if (std::isinf(v)) continue;
    const uint32_t up = bits + 0x2000, even = high % 2 == 0 ? bits : up;
    ASSERT_EQ(std::bit_cast<uint32_t>(round_to_tf32(std::bit_cast<float>(bits + 0x1000))), even);
    ASSERT_EQ(std::bit_cast<uint32_t>(round_to_tf32(std::bit_cast<float>(bits + 0x0FFF))), bits);
    ASSERT_EQ(std::bit_cast<uint32_t>(round_to_tf32(std::bit_cast<float>(bits + 0x1001))), up);
  }
}

std::vector<float> awkward_floats() {
  std::vector<float> v;
  for (const Narrow& n : kNarrow)  // every tie of every format, and its neighbours
    for (uint32_t bits = 0; bits + 1 < n.patterns / 2; ++bits) {
      const double lo = n.decode(bits), hi = n.decode(bits + 1);
      if (!std::isfinite(lo)) continue;
      const auto tie = float(std::isfinite(hi) ? lo + (hi - lo) / 2 : lo + (lo - n.decode(bits - 1)) / 2);
      for (float f : {std::nextafter(tie, 0.0f), tie, std::nextafter(tie, HUGE_VALF)}) v.insert(v.end(), {f, -f});
    }
  for (uint32_t high = 0; high < 65536; ++high)  // all upper halves: every exponent, sign, NaN, Inf, subnormal
    for (uint32_t low : {0u, 1u, 0x0FFFu, 0x1000u, 0x1001u, 0x2000u, 0x7FFFu, 0x8000u, 0x8001u, 0xFFFFu})
      v.push_back(std::bit_cast<float>(high << 16 | low));
  return v;
}

template <class To, class From>
void same_as_scalar(void (*vector)(To*, const From*, size_t), void (*scalar)(To*, const From*, size_t),
                    const std::vector<From>& in) {
  std::vector<To> expected(in.size()), got(in.size());
  scalar(expected.data(), in.data(), in.size());
  vector(got.data(), in.data(), in.size());
  ASSERT_EQ(std::memcmp(expected.data(), got.data(), in.size() * sizeof(To)), 0);
  constexpr unsigned char kSentinel = 0xA5;
  for (size_t count = 0; count < 100; ++count) {
    for (size_t start : {size_t{0}, size_t{1}, in.size() / 2 + 3}) {  // odd starts: unaligned
      std::vector<To> out(count + 8);
      std::memset(out.data(), kSentinel, out.size() * sizeof(To));
      vector(out.data(), in.data() + start, count);
      ASSERT_EQ(std::memcmp(out.data(), expected.data() + start, count * sizeof(To)), 0) << count;
      const auto* tail = reinterpret_cast<const unsigned char*>(out.data() + count);
      for (size_t i = 0; i < 8 * sizeof(To); ++i) ASSERT_EQ(tail[i], kSentinel) << "wrote past the end";
    }
  }
}

TEST(Convert, vector_code_gives_the_bits_of_scalar_code) {
  const std::vector<float> floats = awkward_floats();
  std::vector<uint16_t> halves(65536);
  for (uint32_t i = 0; i < 65536; ++i) halves[i] = uint16_t(i);
  std::vector<uint8_t> bytes(256);
  for (uint32_t i = 0; i < 256; ++i) bytes[i] = uint8_t(i);
  const ConvertKernels& s = convert_kernels(Isa::scalar);
  int compared = 0;
  for (Isa isa : {Isa::avx2, Isa::avx512}) {
    if (isa > detected_isa()) continue;
    SCOPED_TRACE(name(isa));
    const ConvertKernels& k = convert_kernels(isa);
    same_as_scalar(k.f16_to_f32, s.f16_to_f32, halves);
    same_as_scalar(k.bf16_to_f32, s.bf16_to_f32, halves);
    same_as_scalar(k.f16_to_bf16, s.f16_to_bf16, halves);
    same_as_scalar(k.bf16_to_f16, s.bf16_to_f16, halves);
    same_as_scalar(k.f32_to_f16, s.f32_to_f16, floats);
    same_as_scalar(k.f32_to_bf16, s.f32_to_bf16, floats);
    same_as_scalar(k.f8e4m3_to_f32, s.f8e4m3_to_f32, bytes);
    same_as_scalar(k.f8e5m2_to_f32, s.f8e5m2_to_f32, bytes);
    same_as_scalar(k.f8e4m3_to_bf16, s.f8e4m3_to_bf16, bytes);
    same_as_scalar(k.f8e5m2_to_bf16, s.f8e5m2_to_bf16, bytes);
    same_as_scalar(k.f32_to_f8e4m3, s.f32_to_f8e4m3, floats);
    same_as_scalar(k.f32_to_f8e5m2, s.f32_to_f8e5m2, floats);
    same_as_scalar(k.f32_to_tf32, s.f32_to_tf32, floats);
    ++compared;
  }
  if (!compared) GTEST_SKIP() << "this CPU has no AVX2";
}

// What convert() does to a whole buffer, whichever way it takes, against the scalar bodies one by one.
TEST(Convert, buffers_of_narrow_floats) {
  for (const Narrow& from : kNarrow)
    for (const Narrow& to : kNarrow)
      for (bool saturate : {false, true}) {
        SCOPED_TRACE(std::string(name(from.dtype)) + " to " + std::string(name(to.dtype)) + (saturate ? " max" : ""));
        const size_t count = from.patterns;
        std::vector<unsigned char> in(byte_count(from.dtype, count)), out(byte_count(to.dtype, count));
        for (uint32_t i = 0; i < count; ++i)
          std::memcpy(in.data() + i * size_of(from.dtype), &i, size_of(from.dtype));  // little end first
        convert(to.dtype, out.data(), from.dtype, in.data(), count, saturate);
        const double max = info(to.dtype).max;
        for (uint32_t i = 0; i < count; ++i) {
          uint32_t got = 0;
          std::memcpy(&got, out.data() + i * size_of(to.dtype), size_of(to.dtype));
          double x = from.decode(i);
          if (saturate && std::abs(x) > max) x = std::copysign(max, x);
          if (std::isnan(x))
            ASSERT_TRUE(std::isnan(to.decode(got))) << i;
          else
            ASSERT_EQ(got, from.dtype == to.dtype && !saturate ? i : to.from_f64(x)) << i;
        }
      }
}

// A rounding to tf32 in f64 against the one in f32, and against neighbours that f32 cannot distinguish.
TEST(Convert, tf32_from_f64) {
  for (float f : awkward_floats()) {
    const double expected = round_to_tf32(f), got = round_to_tf32(double(f));
    ASSERT_TRUE(got == expected || (std::isnan(got) && std::isnan(expected))) << f;
  }
  EXPECT_EQ(round_to_tf32(1 + 0x1p-11), 1);
  EXPECT_EQ(round_to_tf32(1 + 0x1p-11 + 0x1p-50), 1 + 0x1p-10);
  EXPECT_EQ(round_to_tf32(-1e300), -HUGE_VAL);
  EXPECT_EQ(round_to_tf32(0x1p-137), 0);
  EXPECT_EQ(round_to_tf32(0x1.8p-136), 0x1p-135);
}

template <class To, class From>
To one(DType to, DType from, From value, bool saturate = false) {
  To out;
  convert(to, &out, from, &value, 1, saturate);
  return out;
}

TEST(Convert, integers_saturate_and_truncate) {
  EXPECT_EQ((one<int8_t>(DType::i8, DType::f32, 300.f)), 127);
  EXPECT_EQ((one<int8_t>(DType::i8, DType::f32, -HUGE_VALF)), -128);
  EXPECT_EQ((one<int8_t>(DType::i8, DType::f32, -1.9f)), -1);
  EXPECT_EQ((one<uint8_t>(DType::u8, DType::f64, -0.5)), 0);
  EXPECT_EQ((one<uint8_t>(DType::u8, DType::f64, 255.9)), 255);
  EXPECT_EQ((one<int32_t>(DType::i32, DType::f32, NAN)), 0);
  EXPECT_EQ((one<int64_t>(DType::i64, DType::f64, 0x1p63)), std::numeric_limits<int64_t>::max());
  EXPECT_EQ((one<int64_t>(DType::i64, DType::f64, -0x1p63)), std::numeric_limits<int64_t>::min());
  EXPECT_EQ((one<int32_t>(DType::i32, DType::i64, int64_t{1} << 40)), std::numeric_limits<int32_t>::max());
  EXPECT_EQ((one<uint8_t>(DType::u8, DType::i8, int8_t{-3})), 0);
  EXPECT_EQ((one<uint8_t>(DType::boolean, DType::f32, 0.5f)), 1);
  EXPECT_EQ((one<uint8_t>(DType::boolean, DType::f32, -0.f)), 0);
  EXPECT_EQ((one<float>(DType::f32, DType::boolean, uint8_t{1})), 1.f);
}

TEST(Convert, saturate) {
  EXPECT_EQ((one<uint16_t>(DType::f16, DType::f32, 1e6f, true)), 0x7BFF);
  EXPECT_EQ((one<uint16_t>(DType::f16, DType::f32, -HUGE_VALF, true)), 0xFBFF);
  EXPECT_EQ((one<float>(DType::f32, DType::f64, 1e300, true)), std::numeric_limits<float>::max());
  EXPECT_EQ((one<uint8_t>(DType::f8e5m2, DType::f8e5m2, uint8_t{0x7C}, true)), 0x7B);
  EXPECT_TRUE(std::isnan(f16_to_f32(one<uint16_t>(DType::f16, DType::f32, NAN, true))));
}

// Every pair of dtypes through f64, on values that both hold.
TEST(Convert, every_pair_of_storable_dtypes) {
  for (const DTypeInfo& a : dtype_table()) {
    for (const DTypeInfo& b : dtype_table()) {
      if (!a.storable || !b.storable) continue;
      const double values[] = {0, 1, 0, 1, 1};
      unsigned char in[40], out[40];
      double back[5];
      convert(a.dtype, in, DType::f64, values, 5);
      convert(b.dtype, out, a.dtype, in, 5);
      convert(DType::f64, back, b.dtype, out, 5);
      for (int i = 0; i < 5; ++i) EXPECT_EQ(back[i], values[i]) << a.name << " → " << b.name;
    }
  }
}

TEST(ConvertBodies, read_and_write_every_narrow_number_as_convert_does) {
  const auto check = [](auto stored) {
    using Raw = typename decltype(stored)::Raw;
    for (uint32_t bits = 0; bits < 1u << (8 * sizeof(Raw)); ++bits) {
      const auto raw = static_cast<Raw>(bits);
      double wide = 0;
      convert(DType::f64, &wide, stored.dtype, &raw, 1);
      const double as_double = convert_bodies::load_as<double>(stored, raw);
      const float as_float = convert_bodies::load_as<float>(stored, raw);
      if (std::isnan(wide)) {
        EXPECT_TRUE(std::isnan(as_double) && std::isnan(as_float)) << bits;
        continue;
      }
      EXPECT_EQ(std::bit_cast<uint64_t>(as_double), std::bit_cast<uint64_t>(wide)) << bits;
      EXPECT_EQ(static_cast<double>(as_float), wide) << bits;
      EXPECT_EQ(convert_bodies::store_as<float>(stored, as_float), raw) << bits;
      EXPECT_EQ(convert_bodies::store_as<double>(stored, as_double), raw) << bits;
    }
  };
  check(Stored<DType::f16, uint16_t>{});
  check(Stored<DType::bf16, uint16_t>{});
  check(Stored<DType::f8e4m3, uint8_t>{});
  check(Stored<DType::f8e5m2, uint8_t>{});
}

}  // namespace
}  // namespace hw
