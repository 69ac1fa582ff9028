// The neural texture on the cpu: its loss falls and follows ref's; the same bits at any thread count, whatever is kept;
// cancel and lack of memory come back as errors.
#include <atomic>
#include <cmath>

#include "engine/core/parallel.h"
#include "engine/devices/devices.h"
#include "op_cases.h"
#include "spoiled_device.h"
#include "trained_texture.h"

namespace hw::test::training_test {
namespace {

bench::NeuralTexture small_texture(DType mlp = DType::f32) {
  return test::small_texture(3001, mlp);
}

TEST(CpuTraining, follows_ref_and_learns) {
  const bench::NeuralTexture t = small_texture();
  const Trained cpu = train(t, **make_device("cpu"), 60), ref = train(t, **make_device("ref"), 5);
  for (size_t i = 0; i < ref.losses.size(); ++i) EXPECT_NEAR(cpu.losses[i], ref.losses[i], 2e-3 * ref.losses[i]) << i;
  EXPECT_LT(cpu.losses.back(), 0.25 * cpu.losses.front());
}

TEST(CpuTraining, learns_in_narrow_dtypes) {
  for (DType mlp : {DType::f16, DType::bf16}) {
    const Trained cpu = train(small_texture(mlp), **make_device("cpu"), 60);
    EXPECT_LT(cpu.losses.back(), 0.35 * cpu.losses.front()) << name(mlp);
  }
}

TEST(CpuTraining, gives_the_same_bits_at_any_thread_count) {
  const int before = thread_count();
  const bench::NeuralTexture t = small_texture();
  set_thread_count(1);
  const Trained one = train(t, **make_device("cpu"), 12);
  for (int threads : {2, 3, 8}) {
    set_thread_count(threads);
    const Trained many = train(t, **make_device("cpu"), 12);
    EXPECT_EQ(one.losses, many.losses) << threads;
    EXPECT_TRUE(same_bits(one.table, many.table)) << threads;
    EXPECT_TRUE(same_bits(one.weights, many.weights)) << threads;
  }
  set_thread_count(before);
}

TEST(CpuTraining, gives_the_same_bits_whatever_is_kept) {
  const bench::NeuralTexture t = small_texture();
  std::vector<ValueId> all;
  for (const Instr& i : t.program->instrs) all.insert(all.end(), i.out.begin(), i.out.end());
  const ValueId gradient[] = {t.table_gradient.id};
  const Trained none = train(t, **make_device("cpu"), 12), kept = train(t, **make_device("cpu"), 12, all),
                one = train(t, **make_device("cpu"), 12, gradient);
  for (const Trained* r : {&kept, &one}) {
    EXPECT_EQ(none.losses, r->losses);
    EXPECT_TRUE(same_bits(none.table, r->table));
    EXPECT_TRUE(same_bits(none.weights, r->weights));
  }
}

TEST(CpuTraining, every_op_of_a_step_agrees_with_ref) {
  for (DType mlp : {DType::f32, DType::f16, DType::bf16})
    expect_every_op_agrees(small_texture(mlp), *make_device("cpu"));
}

TEST(CpuTraining, an_op_whose_values_are_off_is_reported) {
  const bench::NeuralTexture t = test::small_texture(70, DType::bf16);
  size_t planted = 0;
  for (const Instr& instr : t.program->instrs) {
    if (instr.out.empty()) continue;
    const auto spoiling = std::make_shared<Spoiling>();
    spoiling->value = instr.out[0];
    spoiling->change = [](const Tensor& clean) {
      std::vector<double> v = clean.to_f64();
      for (double& x : v) x *= 1.02;
      return Tensor::from_f64(clean.dtype(), clean.dims(), v);
    };
    const auto device = spoiled_device(*make_device("cpu"), spoiling);
    const std::string disagreement = first_disagreement(t.program, *device, first_step());
    EXPECT_EQ(disagreement.rfind(std::string(info(instr.op).name) + " of", 0), 0u)
        << info(instr.op).name << ": " << disagreement;
    ++planted;
  }
  EXPECT_GT(planted, 20u);
}

TEST(CpuTraining, memory_is_reused_unless_values_are_kept) {
  const bench::NeuralTexture t = small_texture();
  std::vector<ValueId> all;
  for (const Instr& i : t.program->instrs) all.insert(all.end(), i.out.begin(), i.out.end());
  const auto device = *make_device("cpu");
  const auto states = *device->prepare_states(*t.program, nullptr, 3, nullptr);
  const auto lean = *device->compile(t.program, states), full = *device->compile(t.program, states, all);
  EXPECT_GT(lean->temp_bytes(), 0u);
  EXPECT_LT(lean->temp_bytes() + (size_t{2} << 20), full->temp_bytes());
}

TEST(CpuTraining, can_be_cancelled) {
  const bench::NeuralTexture t = small_texture();
  const auto device = *make_device("cpu");
  auto e = *device->compile(t.program, *device->prepare_states(*t.program, nullptr, 3, nullptr));
  const std::atomic<bool> cancel{true};
  StepInputs step;
  step.cancel = &cancel;
  const Status status = e->run(step);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, "HW-R004");
}

TEST(CpuTraining, attributes_time_to_every_instruction_that_takes_some) {
  const bench::NeuralTexture t = small_texture();
  const auto device = *make_device("cpu");
  auto e = *device->compile(t.program, *device->prepare_states(*t.program, nullptr, 3, nullptr));
  ASSERT_TRUE(e->run({}));
  for (size_t i = 0; i < t.program->instrs.size(); ++i) {
    if (t.program->instrs[i].op == Op::hash_grid || t.program->instrs[i].op == Op::matmul) {
      EXPECT_GT(e->timings()[i], 0.0) << i;
    }
    EXPECT_FALSE(e->kernel_info(i).implementation.empty()) << i;
  }
  e->reset_timings();
  for (double s : e->timings()) EXPECT_EQ(s, 0.0);
}

TEST(CpuMemory, what_cannot_fit_is_refused_with_node_and_size) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer ends the program instead of failing an allocation";
#endif
  auto program = std::make_shared<Program>();
  OpBuilder b(*program);
  b.set_node("huge");
  const Val x = b.broadcast_to(b.input("x", DType::f32, {1}), {int64_t{1} << 46});
  program->outputs.push_back({"y", b.relu(x).id});
  const auto device = *make_device("cpu");
  const auto compiled = device->compile(program, *device->prepare_states(Program{}, nullptr, 1, nullptr));
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().code, "HW-R001");
  EXPECT_NE(compiled.error().where.find("huge"), std::string::npos);
  EXPECT_NE(compiled.error().reason.find("256 TiB"), std::string::npos);
}

}  // namespace
}  // namespace hw::test::training_test
