// Every op, at every dtype and several shapes: the cpu against ref; the same bits at any thread count and, but for
// matrix products, on every instruction set.
#include <cmath>
#include <set>

#include "engine/backend/cpu/runtime/cpu_device.h"
#include "engine/core/parallel.h"
#include "engine/devices/devices.h"
#include "op_judge.h"

namespace hw::test::op_parity_test {
namespace {

std::string what(const OpCase& c, DType dtype) {
  return std::string(info(c.op).name) + " (" + c.name + ") in " + std::string(name(dtype));
}

std::vector<Isa> isas() {
  std::vector<Isa> all;
  for (Isa isa : {Isa::scalar, Isa::avx2, Isa::avx512})
    if (isa <= detected_isa()) all.push_back(isa);
  return all;
}

TEST(OpCases, name_every_op) {
  std::set<std::string_view> named;
  for (const OpCase& c : op_cases()) named.insert(info(c.op).name);
  for (const OpInfo& op : op_table()) EXPECT_TRUE(named.contains(op.name)) << "no case for " << op.name;
}

TEST(CpuOps, agree_with_ref) {
  const auto cpu = *make_device("cpu");
  for (const OpCase& c : op_cases())
    for (DType dtype : kComputeDTypes) {
      const CaseProgram p = case_program(c, dtype);
      ASSERT_TRUE(cpu->supports(c.op, p.dtypes)) << what(c, dtype);
      expect_agrees(p, *cpu, what(c, dtype));
    }
}

TEST(CpuOps, give_the_same_bits_at_any_thread_count) {
  const int before = thread_count();
  const auto cpu = *make_device("cpu");
  for (const OpCase& c : op_cases())
    for (DType dtype : kComputeDTypes) {
      const CaseProgram p = case_program(c, dtype);
      set_thread_count(1);
      const std::vector<Tensor> one = run_case(p, *cpu);
      for (int threads : {2, 3, 8}) {
        set_thread_count(threads);
        const std::vector<Tensor> many = run_case(p, *cpu);
        for (size_t k = 0; k < one.size(); ++k)
          EXPECT_TRUE(same_bits(one[k], many[k])) << what(c, dtype) << ", " << threads << " threads";
      }
    }
  set_thread_count(before);
}

TEST(CpuOps, give_the_same_bits_on_every_instruction_set) {
  for (const OpCase& c : op_cases())
    for (DType dtype : kComputeDTypes) {
      const CaseProgram p = case_program(c, dtype);
      const std::vector<Tensor> scalar = run_case(p, *make_cpu_device(Isa::scalar));
      for (Isa isa : isas()) {
        const std::vector<Tensor> vector = run_case(p, *make_cpu_device(isa));
        for (size_t k = 0; k < scalar.size(); ++k)
          EXPECT_TRUE(same_bits(scalar[k], vector[k])) << what(c, dtype) << ", " << name(isa);
      }
    }
}

TEST(CpuOps, hand_on_a_position_that_is_no_number) {
  for (const OpCase& c : op_cases()) {
    if (!is_triplane(c.op)) continue;
    CaseProgram p = case_program(c, DType::f32);
    if (p.values[0].size() < 6) continue;  // another point stays a number
    p.values[0].as<float>()[4] = std::numeric_limits<float>::quiet_NaN();
    const std::vector<Tensor> cpu = run_case(p, **make_device("cpu")), ref = run_case(p, **make_device("ref"));
    const std::vector<double> got = cpu[0].to_f64(), expected = ref[0].to_f64();
    size_t bad = 0;
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(std::isnan(got[i]), std::isnan(expected[i])) << what(c, DType::f32) << " at " << i;
      bad += std::isnan(got[i]);
    }
    EXPECT_GT(bad, 0u) << what(c, DType::f32);
    EXPECT_LT(bad, got.size()) << what(c, DType::f32);
  }
}

TEST(CpuOps, refuse_what_has_no_kernel) {
  const auto cpu = *make_device("cpu");
  const DType whole[] = {DType::i32, DType::i32, DType::i32};
  EXPECT_FALSE(cpu->supports(Op::add, whole));
  const DType f8 = DType::f8e4m3, moments_in_f8[] = {f8, DType::f32, f8, DType::f32};
  EXPECT_FALSE(cpu->supports(Op::sgd_update, moments_in_f8));
  auto program = std::make_shared<Program>();
  OpBuilder b(*program);
  b.set_node("mixer");
  const Val w = b.state("w", DType::f32, {4}), momentum = b.state("momentum", f8, {4});
  b.emit(Op::sgd_update, {w, w, momentum, b.state("g", DType::f32, {4})}, UpdateAttr{});
  auto states = cpu->prepare_states(*program, nullptr, 1, nullptr);
  const auto compiled = cpu->compile(program, *states);
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().code, "HW-R002");
  EXPECT_EQ(compiled.error().where, "mixer");
  EXPECT_NE(compiled.error().reason.find("sgd_update"), std::string::npos);
  EXPECT_NE(compiled.error().reason.find("f8e4m3"), std::string::npos);
}

}  // namespace
}  // namespace hw::test::op_parity_test
