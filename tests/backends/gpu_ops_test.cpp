// Every op of the cuda device, run by a driver in host memory, against ref; its bits do not depend on the order in
// which items run. What a GPU itself does is in cuda_device_test.cpp.
#include <cmath>
#include <limits>

#include "engine/backend/product_info.h"
#include "engine/devices/devices.h"
#include "engine/program/random_ops.h"
#include "host_gpu.h"
#include "op_judge.h"

namespace hw::test::gpu_ops_test {
namespace {

std::string what(const OpCase& c, DType dtype) {
  return std::string(info(c.op).name) + " (" + c.name + ") in " + std::string(name(dtype));
}

class GpuOps : public testing::TestWithParam<DType> {};

TEST_P(GpuOps, agree_with_ref) {
  const auto gpu = host_gpu();
  for (const OpCase& c : op_cases()) {
    const CaseProgram p = case_program(c, GetParam());
    ASSERT_TRUE(gpu->supports(c.op, p.dtypes)) << what(c, GetParam());
    expect_agrees(p, *gpu, what(c, GetParam()));
  }
}

TEST_P(GpuOps, give_the_same_bits_in_any_order_of_items) {
  const auto gpu = host_gpu(), backwards = host_gpu({.backwards = true});
  for (const OpCase& c : op_cases()) {
    const CaseProgram p = case_program(c, GetParam());
    const std::vector<Tensor> one = run_case(p, *gpu), other = run_case(p, *backwards);
    for (size_t k = 0; k < one.size(); ++k) EXPECT_TRUE(same_bits(one[k], other[k])) << what(c, GetParam());
  }
}

// One Inf and one NaN in each input in turn.
TEST(GpuNumbers, that_are_none_go_where_ref_has_them) {
  const auto gpu = host_gpu();
  for (const OpCase& c : op_cases()) {
    if (elements(c) > 3200 || mixes_zeros(c, true)) continue;
    const CaseProgram p = case_program(c, DType::f32);
    for (size_t j = 0; j < p.values.size(); ++j)
      if (p.values[j].size() > 0 && info(p.values[j].dtype()).is_float)
        expect_agrees(not_finite(p, j), *gpu, what(c, DType::f32) + ", input " + std::to_string(j));
  }
}

// Old chips multiply neither bf16 nor tf32: the numbers are the same ones in f32.
TEST_P(GpuOps, multiply_in_f32_where_the_chip_lacks_a_dtype) {
  const auto gpu = host_gpu({.bf16 = false});
  for (const OpCase& c : op_cases())
    if (c.op == Op::matmul || c.op == Op::conv2d) expect_agrees(case_program(c, GetParam()), *gpu, what(c, GetParam()));
}

// f8 numbers themselves where chip and shape allow it; their products in bf16 elsewhere: the same numbers.
TEST(GpuProducts, in_f8_are_those_in_bf16) {
  const auto with = host_gpu(), without = host_gpu({.f8 = false});
  struct Case {
    DType dtype;
    Dims a, b;
    bool transpose_b;
    DType compute;
  };
  for (const Case& k : {Case{DType::f8e4m3, {32, 48}, {16, 48}, true, DType::f8e4m3},
                        Case{DType::f8e4m3, {32, 48}, {48, 16}, false, DType::bf16},
                        Case{DType::f8e4m3, {31, 48}, {16, 48}, true, DType::bf16},
                        Case{DType::f8e4m3, {32, 24}, {16, 24}, true, DType::bf16},
                        Case{DType::f8e5m2, {32, 48}, {16, 48}, true, DType::bf16}}) {
    MatmulAttr attr;
    attr.transpose_b = k.transpose_b;
    const CaseProgram p = case_program({Op::matmul, "f8", {k.a, k.b}, attr}, k.dtype);
    EXPECT_TRUE(same_bits(run_case(p, *with)[0], run_case(p, *without)[0])) << to_string(k.a) << to_string(k.b);
    const auto compute_of = [&](Device& device) {
      return (*device.compile(p.program, *device.prepare_states(*p.program, nullptr, 1, nullptr)))
          ->kernel_info(0)
          .compute;
    };
    EXPECT_EQ(compute_of(*with), k.compute) << to_string(k.a) << to_string(k.b);
    EXPECT_EQ(compute_of(*without), DType::bf16);
  }
}

TEST(GpuProducts, of_a_dtype_are_reported_as_they_run) {
  EXPECT_EQ(product_info(*host_gpu(), DType::f8e4m3)->compute, DType::f8e4m3);
  EXPECT_EQ(product_info(*host_gpu({.f8 = false}), DType::f8e4m3)->compute, DType::bf16);
  EXPECT_EQ(product_info(*host_gpu(), DType::f8e5m2)->compute, DType::bf16);
  EXPECT_EQ(product_info(*host_gpu(), DType::tf32)->compute, DType::tf32);
}

// What an op that draws makes in one forward pass.
std::vector<Tensor> drawn(const OpCase& c, const RandomStream& random, uint64_t pass, Device& device) {
  auto program = std::make_shared<Program>();
  OpBuilder b(*program);
  std::vector<Val> in;
  for (const Dims& dims : c.in) in.push_back(b.input("x", DType::f32, dims));
  Attr attr = c.attr;
  *random_stream(attr) = random;
  std::vector<Tensor> made;
  const std::vector<Val> out = b.emit(c.op, in, attr);
  for (Val v : out) program->outputs.push_back({"y", v.id});
  auto executable = *device.compile(program, *device.prepare_states(*program, nullptr, 3, nullptr));
  if (!in.empty()) {
    const Tensor x = Tensor::from_f64(DType::f32, c.in[0], numbers(element_count(c.in[0]), -2, 2, 1));
    EXPECT_TRUE(executable->write_input("x", x));
  }
  StepInputs step;
  step.seed = 3;
  step.step = pass;
  EXPECT_TRUE(executable->run(step));
  for (Val v : out) made.push_back(*executable->read(v.id));
  return made;
}

// Ops that draw, with sizes that are no multiple of a Philox block, so that parts begin within one.
std::vector<OpCase> draws() {
  std::vector<OpCase> all{
      {Op::cast, "stochastic", {{3001}}, CastAttr{DType::bf16, false, true, {}}},
      {Op::cast, "stochastic and saturating", {{5, 7}}, CastAttr{DType::f8e4m3, true, true, {}}},
  };
  for (const OpCase& c : op_cases())
    if (random_stream(c.attr)) all.push_back(c);
  return all;
}

TEST(GpuDraws, are_those_of_the_cpu_with_seed_step_and_parts) {
  const auto gpu = host_gpu(), cpu = *make_device("cpu");
  const RandomStream streams[] = {{42}, {.stream = 42, .seed = 1ull << 40, .step = 9}, {.stream = 42, .parts = 3}};
  const std::vector<OpCase> all = draws();
  EXPECT_GT(all.size(), 8u);
  for (const OpCase& c : all)
    for (const RandomStream& random : streams)
      for (uint64_t pass : {0, 7}) {
        const std::vector<Tensor> got = drawn(c, random, pass, *gpu), expected = drawn(c, random, pass, *cpu);
        for (size_t k = 0; k < got.size(); ++k)
          EXPECT_TRUE(same_bits(got[k], expected[k])) << what(c, DType::f32) << ", output " << k << ", pass " << pass;
      }
}

TEST(GpuDraws, of_parts_are_those_of_the_whole_batch) {
  const auto gpu = host_gpu();
  for (auto distribution : {RandomAttr::Distribution::uniform, RandomAttr::Distribution::normal}) {
    const OpCase whole{Op::random, "", {}, RandomAttr{distribution, {21}}};
    const OpCase part{Op::random, "", {}, RandomAttr{distribution, {7}}};
    const std::vector<double> batch = drawn(whole, {5}, 2, *gpu)[0].to_f64();
    std::vector<double> joined;
    for (uint64_t pass : {6, 7, 8}) {
      const std::vector<double> one = drawn(part, {.stream = 5, .parts = 3}, pass, *gpu)[0].to_f64();
      joined.insert(joined.end(), one.begin(), one.end());
    }
    EXPECT_EQ(joined, batch);
  }
}

TEST(GpuTriplane, hands_on_a_position_that_is_no_number) {
  for (const OpCase& c : op_cases()) {
    if (!is_triplane(c.op)) continue;
    CaseProgram p = case_program(c, DType::f32);
    if (p.values[0].size() < 6) continue;  // another point stays a number
    p.values[0].as<float>()[4] = std::numeric_limits<float>::quiet_NaN();
    const std::vector<double> got = run_case(p, *host_gpu())[0].to_f64();
    const std::vector<double> expected = run_case(p, **make_device("ref"))[0].to_f64();
    size_t bad = 0;
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(std::isnan(got[i]), std::isnan(expected[i])) << what(c, DType::f32) << " at " << i;
      bad += std::isnan(got[i]);
    }
    EXPECT_GT(bad, 0u) << what(c, DType::f32);
  }
}

INSTANTIATE_TEST_SUITE_P(DTypes, GpuOps, testing::ValuesIn(kComputeDTypes),
                         [](const auto& dtype) { return std::string(name(dtype.param)); });

}  // namespace
}  // namespace hw::test::gpu_ops_test
