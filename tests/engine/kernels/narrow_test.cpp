// Rounding to narrow formats in what shaders can have: the bits of the conversions that tensors use.
#include "engine/kernels/narrow.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "engine/core/convert_bodies.h"
#include "engine/core/tensor.h"

namespace hw {
namespace {

struct Format {
  DType dtype;
  float (*rounded)(float);
  float (*saturated)(float);
  float (*value)(uint32_t);
};
namespace n = kernels::narrow;
const Format kFormats[] = {{DType::f16, n::f16, n::f16_saturated, n::f16_value},
                           {DType::bf16, n::bf16, n::bf16_saturated, n::bf16_value},
                           {DType::f8e4m3, n::f8e4m3, n::f8e4m3_saturated, n::f8e4m3_value},
                           {DType::f8e5m2, n::f8e5m2, n::f8e5m2_saturated, n::f8e5m2_value}};

bool same(float a, float b) {
  return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b) || (std::isnan(a) && std::isnan(b));
}

// All bits of a format as numbers, by the tensor's conversion.
std::vector<float> values_of(DType dtype) {
  const auto count = int64_t{1} << info(dtype).bits;
  Tensor tensor(dtype, {count});
  for (int64_t i = 0; i < count; ++i) {
    if (info(dtype).bits == 8)
      tensor.as<uint8_t>()[i] = static_cast<uint8_t>(i);
    else
      tensor.as<uint16_t>()[i] = static_cast<uint16_t>(i);
  }
  const Tensor wide = tensor.to(DType::f32);
  return {wide.as<float>(), wide.as<float>() + count};
}

TEST(Narrow, BitsAreTheNumbersThatTensorsHave) {
  for (const Format& f : kFormats) {
    const std::vector<float> values = values_of(f.dtype);
    for (uint32_t bits = 0; bits < values.size(); ++bits)
      ASSERT_TRUE(same(f.value(bits), values[bits])) << name(f.dtype) << " " << bits;
  }
}

TEST(Narrow, RoundsAsTensorsAreConverted) {
  std::mt19937 random(3);
  for (const Format& f : kFormats) {
    std::vector<float> x;
    for (const float value : values_of(f.dtype)) {  // the numbers, ties between them, and what is beside those
      const float next = std::nextafter(value, INFINITY);
      for (const float v : {value, next, std::nextafter(value, -INFINITY)}) x.push_back(v);
      const auto half =
          static_cast<float>((double{value} + double{value} * (1 + std::exp2(-info(f.dtype).mantissa_bits))) / 2);
      for (const float v : {half, std::nextafter(half, INFINITY), std::nextafter(half, -INFINITY)}) x.push_back(v);
    }
    for (int i = 0; i < 200'000; ++i) x.push_back(std::bit_cast<float>(static_cast<uint32_t>(random())));
    for (int i = 0; i < 200'000; ++i)
      x.push_back(std::ldexp(static_cast<float>(random()) * 0x1p-32F, static_cast<int>(random() % 60) - 40));
    const auto count = static_cast<int64_t>(x.size());
    const Tensor narrow = Tensor::from_f32(f.dtype, {count}, x).to(DType::f32);
    for (size_t i = 0; i < x.size(); ++i)
      ASSERT_TRUE(same(f.rounded(x[i]), narrow.as<float>()[i]))
          << name(f.dtype) << " " << x[i] << ": " << f.rounded(x[i]) << ", " << narrow.as<float>()[i];
    const auto most = static_cast<float>(info(f.dtype).max);
    for (size_t i = 0; i < x.size(); ++i) {
      const float plain = narrow.as<float>()[i];
      const float wanted = std::isnan(x[i]) || std::abs(plain) <= most ? plain : std::copysign(most, x[i]);
      ASSERT_TRUE(same(f.saturated(x[i]), wanted)) << name(f.dtype) << " " << x[i];
    }
  }
}

TEST(Narrow, Tf32HasTheBitsOfTheConversion) {
  std::mt19937 random(5);
  for (int i = 0; i < 500'000; ++i) {
    const auto x = std::bit_cast<float>(static_cast<uint32_t>(random()));
    ASSERT_TRUE(same(n::tf32(x), convert_bodies::tf32_of(x))) << x;
  }
}

}  // namespace
}  // namespace hw
