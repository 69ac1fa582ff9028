// Sums of one group of partials, which are rounded without a sum: the bits and counts of a sum with zeros.
#include "engine/backend/cpu/kernels/partial_sums.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "op_cases.h"

namespace hw::test {
namespace {

struct Finished {
  Tensor out;
  RoundingLosses losses;
};

/// `counts`: what rounding takes away.
template <class T>
Finished finish(const std::vector<T>& sums, int64_t groups, DType dtype, bool counts) {
  std::vector<T> partials = sums;
  partials.resize(sums.size() * static_cast<size_t>(groups), T(0));
  const auto size = static_cast<int64_t>(sums.size());
  Finished made{Tensor(dtype, {size}), {}};
  const cpu::Operand out{dtype, made.out.as<std::byte>(), size, 1, counts ? &made.losses : nullptr};
  cpu::finish_sums<T>(reinterpret_cast<const std::byte*>(partials.data()), sums.size() * sizeof(T), groups, out);
  return made;
}

/// Zeros of both signs, halves between neighbours, what is too small and too large for narrow dtypes; then numbers of
/// all magnitudes, more than a part.
template <class T>
std::vector<T> sums_of_all_kinds() {
  std::vector<T> sums{T(-0.0), T(0), T(1 + 1.0 / 256), T(-1 - 3.0 / 256), T(1.0625), T(-1e-30), T(70000), T(-1e38)};
  for (const T v : {std::numeric_limits<T>::infinity(), std::numeric_limits<T>::denorm_min()})
    sums.insert(sums.end(), {v, -v});
  const std::vector<double> random = numbers(70001, -1, 1, 5);
  for (size_t i = 0; i < random.size(); ++i)
    sums.push_back(static_cast<T>(std::ldexp(random[i], static_cast<int>(i % 40) - 20)));
  return sums;
}

template <class T>
void expect_the_sum_with_zeros() {
  const std::vector<T> sums = sums_of_all_kinds<T>();
  for (const DType dtype : kComputeDTypes)
    for (const bool counts : {false, true}) {
      const Finished one = finish(sums, 1, dtype, counts), two = finish(sums, 2, dtype, counts);
      EXPECT_EQ(std::memcmp(one.out.data(), two.out.data(), one.out.bytes()), 0) << name(dtype);
      EXPECT_FALSE(std::signbit(one.out.to_f64()[0])) << name(dtype);
      EXPECT_EQ(one.losses.underflowed, two.losses.underflowed) << name(dtype);
      EXPECT_EQ(one.losses.overflowed, two.losses.overflowed) << name(dtype);
      const bool rounds = size_of(dtype) < sizeof(T);
      EXPECT_EQ(one.losses.rounded, counts && rounds ? static_cast<int64_t>(sums.size()) : 0) << name(dtype);
    }
}

TEST(PartialSums, OneGroupIsASumWithZeros) {
  expect_the_sum_with_zeros<float>();
  expect_the_sum_with_zeros<double>();
}

}  // namespace
}  // namespace hw::test
