// Counts of magnitudes: those of a loop over decoded numbers, for every bit pattern, instruction set and thread count.
#include "engine/core/magnitudes.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/backend/value_probe.h"
#include "engine/core/convert.h"
#include "engine/core/magnitude_kernels.h"
#include "engine/core/parallel.h"
#include "engine/core/philox.h"
#include "engine/program/builder.h"

namespace hw {
namespace {

/// By the definitions, number by number.
Magnitudes by_number(const Tensor& tensor) {
  const DTypeInfo& row = info(tensor.dtype());
  Magnitudes m;
  const std::vector<double> values = tensor.to_f64();
  for (size_t i = 0; i < values.size(); ++i) {
    const double x = std::abs(values[i]);
    if (!std::isfinite(x)) {
      if (m.first_bad < 0) m.first_bad = static_cast<int64_t>(i);
      ++(std::isnan(x) ? m.nans : m.infs);
      continue;
    }
    m.zeros += x == 0;
    m.subnormal += x > 0 && x < row.min_normal;
    m.saturated += x == row.max;
    m.largest = std::max(m.largest, x);
    if (x > 0) m.smallest = m.smallest > 0 ? std::min(m.smallest, x) : x;
  }
  return m;
}

void expect_same(const Magnitudes& a, const Magnitudes& b, const std::string& what) {
  EXPECT_EQ(a.zeros, b.zeros) << what;
  EXPECT_EQ(a.subnormal, b.subnormal) << what;
  EXPECT_EQ(a.saturated, b.saturated) << what;
  EXPECT_EQ(a.infs, b.infs) << what;
  EXPECT_EQ(a.nans, b.nans) << what;
  EXPECT_EQ(a.first_bad, b.first_bad) << what;
  EXPECT_EQ(a.smallest, b.smallest) << what;
  EXPECT_EQ(a.largest, b.largest) << what;
}

/// Random bits, with runs of the patterns around 0, the smallest normal, the largest number, Inf and NaN.
Tensor random_bits(DType dtype, int64_t count, uint32_t stream) {
  Tensor tensor = Tensor::zeros(dtype, {count});
  auto* bytes = tensor.as<std::byte>();
  for (size_t i = 0; i < tensor.bytes(); ++i)
    bytes[i] = static_cast<std::byte>(philox_block(3, stream, 0, i / 4)[i % 4] >> 11);
  const DTypeInfo& row = info(dtype);
  const std::vector<double> edges{
      0.0,      -0.0, row.min_subnormal, row.min_normal - row.min_subnormal, row.min_normal, row.max, -row.max,
      INFINITY, NAN};
  const Tensor marked = Tensor::from_f64(dtype, {static_cast<int64_t>(edges.size())}, edges);
  for (int64_t i = 0; i < count; ++i) {
    const Philox4 draw = philox_block(5, stream, 1, static_cast<uint64_t>(i));
    if (draw[0] % 8 != 0) continue;
    const size_t size = size_of(dtype);
    std::memcpy(bytes + static_cast<size_t>(i) * size, marked.as<std::byte>() + draw[1] % edges.size() * size, size);
  }
  return tensor;
}

TEST(Magnitudes, OfEveryBitPatternOfTheNarrowFormats) {
  for (const DType dtype : {DType::f16, DType::bf16, DType::f8e4m3, DType::f8e5m2}) {
    const int64_t patterns = int64_t{1} << info(dtype).bits;
    Tensor all = Tensor::zeros(dtype, {patterns});
    for (int64_t i = 0; i < patterns; ++i)
      std::memcpy(all.as<std::byte>() + static_cast<size_t>(i) * size_of(dtype), &i, size_of(dtype));
    expect_same(magnitudes_of(all), by_number(all), std::string(name(dtype)));
    for (int64_t i = 0; i < patterns; ++i) {
      Tensor one = Tensor::zeros(dtype, {1});
      std::memcpy(one.data(), &i, size_of(dtype));
      const Magnitudes m = magnitudes_of(one), n = by_number(one);
      ASSERT_TRUE(m.zeros == n.zeros && m.subnormal == n.subnormal && m.saturated == n.saturated && m.infs == n.infs &&
                  m.nans == n.nans && m.largest == n.largest && m.smallest == n.smallest)
          << name(dtype) << " " << i;
    }
  }
}

TEST(Magnitudes, OfEveryDTypeAtEveryLengthAndPlace) {
  for (const DTypeInfo& row : dtype_table()) {
    if (!row.is_float || !row.storable) continue;
    for (const int64_t count : {1, 2, 31, 63, 64, 65, 4095, 4096, 4097, 12'289, 100'003}) {
      const Tensor tensor = random_bits(row.dtype, count, static_cast<uint32_t>(count));
      expect_same(magnitudes_of(tensor), by_number(tensor), std::string(row.name) + " × " + std::to_string(count));
      if (count < 64) continue;
      const auto* third = tensor.as<std::byte>() + 3 * size_of(row.dtype);
      Tensor rest = Tensor::zeros(row.dtype, {count - 3});
      std::memcpy(rest.data(), third, rest.bytes());
      expect_same(magnitudes_of(row.dtype, third, count - 3), by_number(rest), std::string(row.name) + " from 3");
    }
  }
}

template <class Bits>
void expect_same_counts(const MagnitudeCounts<Bits>& a, const MagnitudeCounts<Bits>& b, const std::string& what) {
  EXPECT_EQ(a.high, b.high) << what;
  EXPECT_EQ(a.low, b.low) << what;
  EXPECT_EQ(a.zeros, b.zeros) << what;
  EXPECT_EQ(a.subnormal, b.subnormal) << what;
  EXPECT_EQ(a.saturated, b.saturated) << what;
  EXPECT_EQ(a.infs, b.infs) << what;
  EXPECT_EQ(a.nans, b.nans) << what;
  EXPECT_EQ(a.first_bad, b.first_bad) << what;
}

TEST(Magnitudes, EveryInstructionSetCountsTheSame) {
  const int64_t count = 70'001;
  const Tensor f16 = random_bits(DType::f16, count, 1), f32 = random_bits(DType::f32, count, 2),
               f8 = random_bits(DType::f8e4m3, count, 3), f64 = random_bits(DType::f64, count, 4);
  const MagnitudeLimits<uint16_t> of16{0x0400, 0x7BFF, 0x7C00, true};
  const MagnitudeLimits<uint32_t> of32{0x00800000, 0x7F7FFFFF, 0x7F800000, true};
  const MagnitudeLimits<uint8_t> of8{0x08, 0x7E, 0x7F, false};
  const MagnitudeLimits<uint64_t> of64{uint64_t{1} << 52, 0x7FEFFFFFFFFFFFFF, 0x7FF0000000000000, true};
  const MagnitudeKernels& plain = magnitude_kernels(Isa::scalar);
  for (const Isa isa : {Isa::avx2, Isa::avx512}) {
    if (isa > detected_isa()) continue;
    const MagnitudeKernels& k = magnitude_kernels(isa);
    const std::string what(name(isa));
    expect_same_counts(k.count16(of16, f16.as<uint16_t>(), count), plain.count16(of16, f16.as<uint16_t>(), count),
                       what);
    expect_same_counts(k.count32(of32, f32.as<uint32_t>(), count), plain.count32(of32, f32.as<uint32_t>(), count),
                       what);
    expect_same_counts(k.count8(of8, f8.as<uint8_t>(), count), plain.count8(of8, f8.as<uint8_t>(), count), what);
    expect_same_counts(k.count64(of64, f64.as<uint64_t>(), count), plain.count64(of64, f64.as<uint64_t>(), count),
                       what);
  }
}

TEST(Magnitudes, AWholeValueAtAnyNumberOfThreads) {
  const int64_t count = 1'000'003;
  Program program;
  OpBuilder b(program);
  const Val y = b.scale(b.input("x", DType::f16, {count}), 1);
  ASSERT_TRUE(b.status());
  const Tensor tensor = random_bits(DType::f16, count, 9);
  const Magnitudes expected = by_number(tensor);
  const int before = thread_count();
  for (const int threads : {1, 2, 3, 8}) {
    set_thread_count(threads);
    ValueProbe probe(program, {y.id});
    probe.begin(1, 0);
    probe.see_whole(y.id, tensor.data());
    const ValueLook look = probe.look(0);
    EXPECT_EQ(look.count, count) << threads;
    EXPECT_EQ(look.zeros, expected.zeros) << threads;
    EXPECT_EQ(look.subnormal, expected.subnormal) << threads;
    EXPECT_EQ(look.saturated, expected.saturated) << threads;
    EXPECT_EQ(look.infs, expected.infs) << threads;
    EXPECT_EQ(look.nans, expected.nans) << threads;
    EXPECT_EQ(look.smallest, expected.smallest) << threads;
    EXPECT_EQ(look.largest, expected.largest) << threads;
  }
  set_thread_count(before);
}

}  // namespace
}  // namespace hw
