// The shared scalar bodies give the same bits on a GPU as on the host. Skipped, with the reason, where there is no GPU.
#include "tests/backends/cuda_bodies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "engine/backend/backend.h"
#include "engine/backend/cuda/gpus.h"
#include "engine/core/philox.h"
#include "engine/kernels/elementwise.h"
#include "engine/program/builder.h"

namespace hw {
namespace {

class CudaBodies : public testing::Test {
 protected:
  void SetUp() override {
    const auto gpus = cuda::gpus();
    if (!gpus) GTEST_SKIP() << gpus.error().text();
  }
};

template <class T>
std::vector<T> numbers(uint32_t stream, int64_t n) {
  std::vector<T> x{T(0),
                   -T(0),
                   T(1),
                   -T(1),
                   T(88),
                   -T(120),
                   std::numeric_limits<T>::infinity(),
                   -std::numeric_limits<T>::infinity(),
                   std::numeric_limits<T>::quiet_NaN(),
                   std::numeric_limits<T>::denorm_min(),
                   std::numeric_limits<T>::max()};
  for (int64_t i = 0; i < n; ++i)
    x.push_back(static_cast<T>(8 * uniform01(philox_block(7, stream, 0, static_cast<uint64_t>(i))[0]) - 4));
  return x;
}

template <class T>
void expect_same_bits(const std::vector<T>& got, const std::vector<T>& expected, const char* what) {
  using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(got[i]) && std::isnan(expected[i])) continue;  // the payload is the processor's
    ASSERT_EQ(std::bit_cast<Bits>(got[i]), std::bit_cast<Bits>(expected[i]))
        << what << " element " << i << ": " << got[i] << " and " << expected[i];
  }
}

template <class T, class F>
void check(Op op, const char* name, const Attr& attr, bool two, F body) {
  const std::vector<T> a = numbers<T>(1, 5000);
  std::vector<T> b = two ? numbers<T>(2, 5000) : std::vector<T>{};
  std::reverse(b.begin(), b.end());  // special values meet ordinary ones
  const auto got = test::on_gpu<T>(op, attr, a, b);
  ASSERT_TRUE(got) << got.error().text();
  std::vector<T> expected;
  for (size_t i = 0; i < a.size(); ++i) expected.push_back(body(a[i], two ? b[i] : T(0)));
  expect_same_bits(*got, expected, name);
}

template <class T>
void check_all() {
  const Attr none, half = ScaleAttr{0.3}, box = ClampAttr{-0.7, 0.9};
  const T factor = static_cast<T>(0.3), lo = static_cast<T>(-0.7), hi = static_cast<T>(0.9);
  check<T>(Op::add, "add", none, true, [](T a, T b) { return a + b; });
  check<T>(Op::sub, "sub", none, true, [](T a, T b) { return a - b; });
  check<T>(Op::mul, "mul", none, true, [](T a, T b) { return a * b; });
  check<T>(Op::scale, "scale", half, false, [=](T a, T) { return a * factor; });
  check<T>(Op::clamp, "clamp", box, false, [=](T a, T) { return kernels::clamp(a, lo, hi); });
  check<T>(Op::clamp_grad, "clamp_grad", box, true, [=](T a, T b) { return kernels::clamp_grad(a, b, lo, hi); });
  check<T>(Op::relu, "relu", none, false, [](T a, T) { return kernels::relu(a); });
  check<T>(Op::relu_grad, "relu_grad", none, true, [](T a, T b) { return kernels::relu_grad(a, b); });
  check<T>(Op::sigmoid_grad, "sigmoid_grad", none, true, [](T a, T b) { return kernels::sigmoid_grad(a, b); });
}

TEST_F(CudaBodies, ElementwiseF32) {
  check_all<float>();
  check<float>(Op::sigmoid, "sigmoid", {}, false, [](float a, float) { return kernels::sigmoid(a); });
}

TEST_F(CudaBodies, ElementwiseF64) {
  check_all<double>();
}

TEST_F(CudaBodies, AnUnknownOpIsRefused) {
  const auto got = test::on_gpu<float>(Op::matmul, {}, {1.0f}, {1.0f});
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, "HW-R002");
}

TEST_F(CudaBodies, HashGridCorners) {
  const HashGridAttr grid = make_hash_grid(3, 16, 2, 15, 16, 1.5, false);
  std::vector<float> points;
  for (uint64_t i = 0; i < 2000; ++i)
    for (int d = 0; d < 3; ++d) points.push_back(uniform01(philox_block(3, 9, 0, i)[static_cast<size_t>(d)]));
  points.insert(points.end(), {0.0f, 1.0f, 0.5f, -1e9f, 1e30f, std::nanf("")});
  for (const bool smoothstep : {false, true})
    for (const HashGridLevel& level : grid.levels) {
      const auto got = test::corners_on_gpu(points, level, smoothstep);
      ASSERT_TRUE(got) << got.error().text();
      for (size_t i = 0; i < got->size(); ++i) {
        const test::Corners expected = test::corners_of(points.data() + 3 * i, level, smoothstep);
        for (int k = 0; k < 8; ++k) ASSERT_EQ((*got)[i].entry[k], expected.entry[k]) << "point " << i;
        expect_same_bits<float>({(*got)[i].weight, (*got)[i].weight + 8}, {expected.weight, expected.weight + 8},
                                "weight");
      }
    }
}

TEST_F(CudaBodies, PlaneTaps) {
  std::vector<float> x;
  for (uint64_t i = 0; i < 2000; ++i) x.push_back(1.5f * uniform01(philox_block(4, 9, 0, i)[0]) - 0.25f);
  x.insert(x.end(), {0.0f, 1.0f, 0.5f, -1e9f, 1e30f, std::nanf("")});
  for (const int64_t size : {1, 2, 7, 64}) {
    const auto got = test::plane_taps_on_gpu(x, size);
    ASSERT_TRUE(got) << got.error().text();
    for (size_t i = 0; i < x.size(); ++i) {
      const kernels::PlaneTap<float> expected = kernels::plane_tap<float>(x[i], size);
      ASSERT_EQ((*got)[i].low, expected.low) << x[i];
      ASSERT_EQ((*got)[i].high, expected.high) << x[i];
      ASSERT_EQ((*got)[i].slope, expected.slope) << x[i];
      expect_same_bits<float>({(*got)[i].weight}, {expected.weight}, "weight");
    }
  }
}

TEST_F(CudaBodies, Philox) {
  const auto got = test::philox_on_gpu(0x123456789abcdefull, 42, 1ull << 33, 1000);
  ASSERT_TRUE(got) << got.error().text();
  for (uint64_t i = 0; i < 1000; ++i) {
    const Philox4 expected = philox_block(0x123456789abcdefull, 42, 1ull << 33, i);
    for (size_t k = 0; k < 4; ++k) ASSERT_EQ((*got)[4 * i + k], expected[k]);
  }
}

/// What the cpu device makes of an op that draws, in forward pass 7 of a run with seed 3; `x`: its input, or empty.
template <class T>
std::vector<T> drawn_on_cpu(Op op, const Attr& attr, const std::vector<T>& x) {
  const DType dtype = sizeof(T) == 8 ? DType::f64 : DType::f32;
  auto program = std::make_shared<Program>();
  OpBuilder b(*program);
  std::vector<Val> in;
  if (!x.empty()) in.push_back(b.input("x", dtype, {static_cast<int64_t>(x.size())}));
  const Val y = b.emit(op, in, attr)[0];
  program->outputs.push_back({"y", y.id});
  const auto cpu = *make_device("cpu");
  const auto executable = *cpu->compile(program, *cpu->prepare_states(*program, nullptr, 3, nullptr));
  if (!x.empty()) {
    const std::vector<double> wide(x.begin(), x.end());
    EXPECT_TRUE(executable->write_input("x", Tensor::from_f64(dtype, {static_cast<int64_t>(x.size())}, wide)));
  }
  StepInputs step;
  step.seed = 3;
  step.step = 7;
  EXPECT_TRUE(executable->run(step));
  const Tensor made = *executable->read(y.id);
  return {made.as<T>(), made.as<T>() + made.size()};
}

template <class T>
void check_draws() {
  constexpr size_t kCount = 30001;  // in parts: they begin within a Philox block
  const RandomStream streams[] = {{42}, {.stream = 42, .seed = 1ull << 40, .step = 9}, {.stream = 42, .parts = 3}};
  const std::vector<T> x(kCount, T(1.25));
  for (const RandomStream& random : streams) {
    const Draw draw = draw_of(random, 3, 7, kCount);
    const DropoutAttr dropout{0.3, random};
    const auto dropped = test::dropout_on_gpu<T>(dropout, draw, x);
    ASSERT_TRUE(dropped) << dropped.error().text();
    expect_same_bits(*dropped, drawn_on_cpu<T>(Op::dropout, dropout, x), "dropout");
    for (const auto distribution : {RandomAttr::Distribution::uniform, RandomAttr::Distribution::normal}) {
      if (sizeof(T) == 8 && distribution == RandomAttr::Distribution::normal) continue;  // the platform's logarithm
      const RandomAttr attr{
          distribution, {static_cast<int64_t>(kCount)}, sizeof(T) == 8 ? DType::f64 : DType::f32, -0.5, 1.25, random};
      const auto made = test::random_on_gpu<T>(attr, draw, kCount);
      ASSERT_TRUE(made) << made.error().text();
      expect_same_bits(*made, drawn_on_cpu<T>(Op::random, attr, {}), "random");
    }
  }
}

TEST_F(CudaBodies, DrawWhatTheCpuDraws) {
  check_draws<float>();
  check_draws<double>();
}

TEST_F(CudaBodies, Adam) {
  const kernels::AdamStep<float> step{0.5f, 0.9f, 0.99f, 0.1f, 0.01f, 0.01f, 100.0f, 1e-8f, 0.01f, 0.999f};
  std::vector<float> grad, p, m, v;
  for (uint64_t i = 0; i < 4000; ++i) {
    const Philox4 r = philox_block(5, 1, 0, i);
    grad.push_back(uniform01(r[0]) - 0.5f);
    p.push_back(uniform01(r[1]) - 0.5f);
    m.push_back(uniform01(r[2]) - 0.5f);
    v.push_back(uniform01(r[3]));
  }
  std::vector<float> gp = p, gm = m, gv = v;
  const Status done = test::adam_on_gpu(step, grad, gp, gm, gv);
  ASSERT_TRUE(done) << done.error().text();
  for (size_t i = 0; i < p.size(); ++i) kernels::adam(step, grad[i], p[i], m[i], v[i]);
  expect_same_bits(gp, p, "master");
  expect_same_bits(gm, m, "m");
  expect_same_bits(gv, v, "v");
}

}  // namespace
}  // namespace hw
