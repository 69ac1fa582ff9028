// Casts: stochastic ones are unbiased, the same on every device and at any thread count, and go to a neighbour;
// saturating ones end at the largest number.
#include <cmath>
#include <limits>

#include "engine/core/parallel.h"
#include "engine/devices/devices.h"
#include "op_cases.h"

namespace hw::test::cast_test {
namespace {

constexpr DType kNarrow[] = {DType::f32, DType::f16, DType::bf16, DType::f8e4m3, DType::f8e5m2};

Tensor cast_on(const std::string& device, const Tensor& x, CastAttr attr) {
  CaseProgram p;
  p.program = std::make_shared<Program>();
  OpBuilder b(*p.program);
  b.set_node("cast");
  p.in = {b.input("x", x.dtype(), x.dims())};
  p.values = {x};
  p.out = b.emit(Op::cast, p.in, attr);
  EXPECT_TRUE(b.status());
  p.program->outputs.push_back({"y", p.out[0].id});
  return run_case(p, **make_device(device))[0];
}

// Every order of magnitude of the format, below and above it, and what is no number.
Tensor awkward(DType from, DType to) {
  const DTypeInfo& format = info(to);
  std::vector<double> v{0, -0.0, NAN, HUGE_VAL, -HUGE_VAL, format.max, -format.max, format.max * 1.01};
  for (double u : numbers(4000, -1, 1, 3)) {
    const double low = std::log2(format.min_subnormal) - 3, high = std::log2(format.max) + 1;
    v.push_back(std::copysign(std::exp2(low + (high - low) * std::abs(u)), u) * (1 + 0.37 * u * u));
  }
  return Tensor::from_f64(from, {static_cast<int64_t>(v.size()) / 8, 8}, v);
}

// Ties between neighbours and what lies beside them, from a list of the format's numbers: no conversion is asked.
TEST(Cast, goes_to_the_nearest_number_and_from_a_tie_to_the_even_one) {
  for (DType to : {DType::f16, DType::bf16, DType::f8e4m3, DType::f8e5m2}) {
    const DTypeInfo& format = info(to);
    std::vector<double> x, wanted;
    const auto add = [&](double from, double nearest) {
      for (const double sign : {1.0, -1.0}) x.push_back(sign * from), wanted.push_back(sign * nearest);
    };
    double low = 0;
    for (int64_t code = 0; low < format.max; ++code) {  // codes count up through the numbers
      const int64_t exponent = (code + 1) >> format.mantissa_bits, least = std::max<int64_t>(exponent - 1, 0);
      const double step = std::ldexp(format.min_subnormal, static_cast<int>(least));
      const auto fraction = static_cast<double>((code + 1) & ((int64_t{1} << format.mantissa_bits) - 1));
      const double high = step * (fraction + (exponent > 0 ? std::ldexp(1.0, format.mantissa_bits) : 0));
      const double tie = (low + high) / 2, beside = (high - low) / 1024;
      add(low, low);
      add(tie - beside, low);
      add(tie, code % 2 == 0 ? low : high);
      add(tie + beside, high);
      low = high;
    }
    EXPECT_EQ(low, format.max) << name(to);
    const Tensor numbers = Tensor::from_f64(DType::f64, {static_cast<int64_t>(x.size())}, x);
    for (const char* device : {"ref", "cpu"}) {
      const std::vector<double> got = cast_on(device, numbers, {to}).to_f64();
      for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(got[i], wanted[i]) << device << ", " << name(to) << ", " << x[i];
    }
  }
}

TEST(StochasticCast, gives_the_same_bits_everywhere) {
  const int before = thread_count();
  for (DType from : {DType::f64, DType::f32, DType::bf16})
    for (DType to : kNarrow)
      for (bool saturate : {false, true}) {
        const Tensor x = awkward(from, to);
        const CastAttr attr{to, saturate, true, {7}};
        const Tensor ref = cast_on("ref", x, attr);
        for (int threads : {1, 3}) {
          set_thread_count(threads);
          const std::vector<double> got = cast_on("cpu", x, attr).to_f64(), expected = ref.to_f64();
          for (size_t i = 0; i < got.size(); ++i)
            ASSERT_TRUE(got[i] == expected[i] || (std::isnan(got[i]) && std::isnan(expected[i])))
                << name(from) << " to " << name(to) << ": " << x.to_f64()[i] << " gives " << got[i] << ", ref "
                << expected[i];
        }
      }
  set_thread_count(before);
}

TEST(StochasticCast, goes_to_one_of_the_two_neighbours) {
  for (DType to : kNarrow) {
    const Tensor x = awkward(DType::f64, to), y = cast_on("cpu", x, {to, true, true, 1});
    const std::vector<double> exact = x.to_f64(), got = y.to_f64(), nearest = x.to(to).to_f64();
    const DTypeInfo& format = info(to);
    for (size_t i = 0; i < exact.size(); ++i) {
      if (!(std::abs(exact[i]) <= format.max)) continue;
      const double step =
          std::max(std::exp2(std::floor(std::log2(std::abs(exact[i]))) - format.mantissa_bits), format.min_subnormal);
      EXPECT_LT(std::abs(got[i] - exact[i]), step) << name(to) << " " << exact[i];
      if (nearest[i] == exact[i]) {
        EXPECT_EQ(got[i], exact[i]) << name(to);
      }
    }
  }
}

TEST(StochasticCast, is_unbiased) {
  constexpr int64_t kCount = 1 << 16;
  for (DType to : kNarrow)
    for (double share : {0.03, 0.5, 0.9})
      for (double lo : {1.0, info(to).min_subnormal, 0.0}) {
        const double step = lo == 1 ? std::ldexp(1.0, -info(to).mantissa_bits) : info(to).min_subnormal;
        const double x = -(lo + share * step);
        const std::vector<double> y =
            cast_on("cpu", Tensor::from_f64(DType::f64, {kCount}, std::vector<double>(kCount, x)),
                    {to, false, true, {2}})
                .to_f64();
        double mean = 0;  // in steps from lo
        for (double v : y) mean += (-v - lo) / step / kCount;
        const double sigma = std::sqrt(share * (1 - share) / kCount);
        EXPECT_NEAR(mean, share, 5 * sigma) << name(to) << " above " << lo;
      }
}

TEST(StochasticCast, draws_anew_at_every_stream) {
  const Tensor x = Tensor::from_f64(DType::f32, {999}, numbers(999, -1, 1, 4));
  const Tensor a = cast_on("cpu", x, {DType::f8e5m2, false, true, {1}}),
               b = cast_on("cpu", x, {DType::f8e5m2, false, true, {2}});
  EXPECT_FALSE(same_bits(a, b));
  EXPECT_TRUE(same_bits(a, cast_on("cpu", x, {DType::f8e5m2, false, true, {1}})));
}

TEST(SaturatingCast, ends_at_the_largest_number) {
  for (const char* device : {"cpu", "ref"})
    for (DType from : {DType::f64, DType::f32, DType::f16})
      for (DType to : kNarrow) {
        const Tensor x = Tensor::from_f64(from, {4}, std::vector<double>{HUGE_VAL, -HUGE_VAL, NAN, 1});
        const std::vector<double> y = cast_on(device, x, {to, true}).to_f64();
        EXPECT_EQ(y[0], info(to).max) << device << " " << name(from) << " to " << name(to);
        EXPECT_EQ(y[1], -info(to).max) << device << " " << name(from) << " to " << name(to);
        EXPECT_TRUE(std::isnan(y[2]));
        EXPECT_EQ(y[3], 1);
      }
  const Tensor x = Tensor::from_f64(DType::f32, {3}, std::vector<double>{464, 465, 1e9});
  EXPECT_EQ(cast_on("cpu", x, {DType::f8e4m3, true}).to_f64(), (std::vector<double>{448, 448, 448}));
  const std::vector<double> not_saturated = cast_on("cpu", x, {DType::f8e4m3}).to_f64();
  EXPECT_EQ(not_saturated[0], 448);
  EXPECT_TRUE(std::isnan(not_saturated[1]) && std::isnan(not_saturated[2]));
}

TEST(StochasticCast, wants_floats) {
  Program program;
  OpBuilder b(program);
  b.emit(Op::cast, {b.input("x", DType::f32, {2})}, CastAttr{DType::i8, false, true});
  ASSERT_FALSE(b.status());
  EXPECT_EQ(b.status().error().code, "HW-D001");
}

}  // namespace
}  // namespace hw::test::cast_test
