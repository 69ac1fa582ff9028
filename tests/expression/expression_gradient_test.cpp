// Gradients of expressions: every case against central differences in f64 on ref, its values against a formula of their
// own, and cpu against ref. The cases are those on which tools with hand-written adjoints have failed: components
// written one by one, written twice, copied, overwritten in place, read more than once.
#include <cmath>

#include "tests/expression/expression_cases.h"
#include "tests/expression/expression_run.h"

namespace hw::test {
namespace {

constexpr int64_t kSamples = 6;

Dims dims_of(const ExpressionCase::Input& input) {
  Dims dims;
  if (input.batched) dims.push_back(kSamples);
  dims.insert(dims.end(), static_cast<size_t>(input.type.axes()), input.type.size);
  return dims;
}

std::vector<ExpressionInput> inputs_of(const ExpressionCase& c) {
  std::vector<ExpressionInput> inputs;
  for (const ExpressionCase::Input& input : c.inputs) {
    const Dims dims = dims_of(input);
    inputs.push_back(
        {dims, numbers(element_count(dims), input.lo, input.hi, static_cast<uint32_t>(inputs.size()) + 5)});
  }
  return inputs;
}

class ExpressionGradient : public testing::TestWithParam<ExpressionCase> {};

TEST_P(ExpressionGradient, ValuesAreThoseOfTheFormula) {
  const ExpressionCase& c = GetParam();
  const auto inputs = inputs_of(c);
  ExpressionRun run(c.source, inputs, {kSamples}, DType::f64, "ref", true);
  ASSERT_TRUE(run.ready());
  const ExpressionResult got = run.at(inputs);
  for (size_t n = 0; n < kSamples; ++n) {
    std::vector<Vec> sample;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const auto size = static_cast<size_t>(c.inputs[i].type.components());
      const auto begin = inputs[i].values.begin() + static_cast<int64_t>(c.inputs[i].batched ? n * size : 0);
      sample.emplace_back(begin, begin + static_cast<int64_t>(size));
    }
    Vec all;
    for (const Vec& output : got.outputs) {
      const size_t size = output.size() / kSamples;
      all.insert(all.end(), output.begin() + static_cast<int64_t>(n * size),
                 output.begin() + static_cast<int64_t>((n + 1) * size));
    }
    const Vec wanted = c.formula(sample);
    ASSERT_EQ(all.size(), wanted.size());
    for (size_t k = 0; k < all.size(); ++k)
      EXPECT_NEAR(all[k], wanted[k], 1e-12 * (1 + std::abs(wanted[k]))) << "sample " << n << ", component " << k;
  }
}

TEST_P(ExpressionGradient, AdjointIsThatOfCentralDifferences) {
  const ExpressionCase& c = GetParam();
  auto inputs = inputs_of(c);
  ExpressionRun run(c.source, inputs, {kSamples}, DType::f64, "ref", true);
  ASSERT_TRUE(run.ready());
  const ExpressionResult here = run.at(inputs);
  constexpr double kStep = 1e-6;
  double largest = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    for (size_t k = 0; k < inputs[i].values.size(); ++k) {
      const double x = inputs[i].values[k];
      inputs[i].values[k] = x + kStep;
      const double above = run.at(inputs).loss;
      inputs[i].values[k] = x - kStep;
      const double below = run.at(inputs).loss;
      inputs[i].values[k] = x;
      const double difference = (above - below) / (2 * kStep);
      EXPECT_NEAR(here.gradients[i][k], difference, 1e-5 + 1e-3 * std::abs(difference))
          << "input " << i << ", element " << k;
      largest = std::max(largest, std::abs(difference));
    }
  }
  EXPECT_GT(largest, 1e-3) << "nothing depends on anything";
}

TEST_P(ExpressionGradient, CpuAgreesWithRef) {
  const ExpressionCase& c = GetParam();
  const auto inputs = inputs_of(c);
  ExpressionRun ref(c.source, inputs, {kSamples}, DType::f64, "ref", true);
  ExpressionRun cpu(c.source, inputs, {kSamples}, DType::f64, "cpu", true);
  ASSERT_TRUE(ref.ready() && cpu.ready());
  const ExpressionResult wanted = ref.at(inputs), got = cpu.at(inputs);
  const auto compare = [](const std::vector<Vec>& a, const std::vector<Vec>& b, const char* what) {
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) {
      ASSERT_EQ(a[i].size(), b[i].size());
      for (size_t k = 0; k < a[i].size(); ++k)
        EXPECT_NEAR(a[i][k], b[i][k], 1e-7 + 1e-7 * std::abs(b[i][k])) << what << " " << i << ", element " << k;
    }
  };
  compare(got.outputs, wanted.outputs, "output");
  compare(got.gradients, wanted.gradients, "gradient");
}

std::vector<ExpressionCase> all_cases() {
  std::vector<ExpressionCase> all;
  for (const auto cases : {component_cases(), function_cases()}) all.insert(all.end(), cases.begin(), cases.end());
  return all;
}

INSTANTIATE_TEST_SUITE_P(Cases, ExpressionGradient, testing::ValuesIn(all_cases()),
                         [](const auto& test) { return std::string(test.param.name); });

// The field case: dL/dy = 1 gives 2 + 3 + 4 for every x, exactly, in every dtype.
TEST(ExpressionGradientExact, ComponentsWrittenOneByOneGiveNine) {
  for (const std::string device : {"ref", "cpu"}) {
    for (const DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16}) {
      const std::vector<ExpressionInput> inputs{{{257}, numbers(257, -3, 3, 1)}};
      ExpressionRun run("y.x = 2*x; y.y = 3*x; y.z = 4*x", inputs, {257}, dtype, device, false);
      ASSERT_TRUE(run.ready());
      const ExpressionResult got = run.at(inputs);
      ASSERT_EQ(got.outputs[0].size(), 3u * 257u);
      for (const double g : got.gradients[0]) ASSERT_EQ(g, 9.0) << device << " " << name(dtype);
    }
  }
}

TEST(ExpressionGradientExact, OverwrittenComponentsHaveNone) {
  const std::vector<ExpressionInput> inputs{{{4, 3}, numbers(12, -1, 1, 1)}};
  ExpressionRun run("in p: vec3; y = p; y.x = p.z; y.x = 3*p.y; y.y = 5", inputs, {4}, DType::f32, "cpu", false);
  ASSERT_TRUE(run.ready());
  const ExpressionResult got = run.at(inputs);
  for (size_t n = 0; n < 4; ++n) {
    EXPECT_EQ(got.gradients[0][3 * n], 0);
    EXPECT_EQ(got.gradients[0][3 * n + 1], 3);
    EXPECT_EQ(got.gradients[0][3 * n + 2], 1);
  }
}

TEST(ExpressionGradientExact, EveryReaderAdds) {
  const std::vector<ExpressionInput> inputs{{{5}, numbers(5, -1, 1, 1)}};
  ExpressionRun run("y = vec4(x); z = x + x + x; for i in 0..4 { z += x }", inputs, {5}, DType::f16, "cpu", false);
  ASSERT_TRUE(run.ready());
  const ExpressionResult got = run.at(inputs);
  for (const double g : got.gradients[0]) EXPECT_EQ(g, 4 + 3 + 4);
}

TEST(ExpressionGradientExact, LengthOfTheZeroVectorHasNone) {
  for (const std::string device : {"ref", "cpu"}) {
    const std::vector<ExpressionInput> inputs{{{2, 3}, {0, 0, 0, 3, 0, 4}}};
    ExpressionRun run("in p: vec3; l = length(p)", inputs, {2}, DType::f32, device, false);
    ASSERT_TRUE(run.ready());
    const ExpressionResult got = run.at(inputs);
    EXPECT_EQ(got.outputs[0], (Vec{0, 5}));
    for (size_t k = 0; k < 3; ++k) EXPECT_EQ(got.gradients[0][k], 0) << device;
    EXPECT_NEAR(got.gradients[0][3], 0.6, 1e-6);
    EXPECT_NEAR(got.gradients[0][5], 0.8, 1e-6);
    ExpressionRun unit("in p: vec3; u = normalize(p)", inputs, {2}, DType::f16, device, false);
    ASSERT_TRUE(unit.ready());
    const ExpressionResult units = unit.at(inputs);
    for (size_t k = 0; k < 3; ++k) EXPECT_EQ(units.outputs[0][k], 0);
    for (const double g : units.gradients[0]) EXPECT_TRUE(std::isfinite(g));
  }
}

// An output that depends on no input, and a bool, has as many values as there are samples.
TEST(ExpressionGradientExact, OutputsStretchOverTheBatch) {
  for (const std::string device : {"ref", "cpu"}) {
    const std::vector<ExpressionInput> inputs{{{3}, {-1, 0, 1}}, {{}, {2}}};
    ExpressionRun run("in x, s; y = x; n = 2*s; b = s > 1; c = true; v = x > 0 ? vec2(1, s) : vec2(x)", inputs, {3},
                      DType::f32, device, false);
    ASSERT_TRUE(run.ready());
    const ExpressionResult got = run.at(inputs);
    EXPECT_EQ(got.outputs[1], (Vec{4, 4, 4})) << device;
    EXPECT_EQ(got.outputs[2], (Vec{1, 1, 1})) << device;
    EXPECT_EQ(got.outputs[3], (Vec{1, 1, 1})) << device;
    EXPECT_EQ(got.outputs[4], (Vec{-1, -1, 0, 0, 1, 2})) << device;
  }
}

// A vector that no component of is written stays one tensor: one op for its three components.
TEST(ExpressionGradientExact, WholeVectorsStayWhole) {
  const std::vector<ExpressionInput> inputs{{{4, 3}, numbers(12, -1, 1, 1)}};
  ExpressionRun run("in p: vec3; y = sin(p)*p", inputs, {4}, DType::f32, "ref", false);
  ASSERT_TRUE(run.ready());
  size_t forward = 0;
  for (const Instr& i : run.program().instrs) forward += !i.backward;
  EXPECT_EQ(forward, 2u + 2u) << "sin, mul; the loss: mul, sum";
}

}  // namespace
}  // namespace hw::test
