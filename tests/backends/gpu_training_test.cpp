// The neural texture on the cuda device, run by a driver in host memory: it follows the cpu and learns, in the same
// bits in whatever order items run.
#include <atomic>

#include "engine/devices/devices.h"
#include "host_gpu.h"
#include "op_cases.h"
#include "trained_texture.h"

namespace hw::test::gpu_training_test {
namespace {

bench::NeuralTexture small_texture(DType mlp = DType::f32) {
  return test::small_texture(1501, mlp);
}

TEST(GpuTraining, follows_the_cpu_and_learns) {
  for (DType mlp : {DType::f32, DType::f16}) {
    const bench::NeuralTexture t = small_texture(mlp);
    const Trained gpu = train(t, *host_gpu(), mlp == DType::f32 ? 40 : 6), cpu = train(t, **make_device("cpu"), 6);
    for (size_t i = 0; i < cpu.losses.size(); ++i)
      EXPECT_NEAR(gpu.losses[i], cpu.losses[i], 2e-3 * cpu.losses[i]) << name(mlp) << ", step " << i;
    EXPECT_LT(gpu.losses.back(), (mlp == DType::f32 ? 0.4 : 0.95) * gpu.losses.front()) << name(mlp);
  }
}

TEST(GpuTraining, every_op_of_a_step_agrees_with_ref) {
  for (DType mlp : {DType::f32, DType::f16, DType::bf16}) expect_every_op_agrees(small_texture(mlp), host_gpu());
}

TEST(GpuTraining, gives_the_same_bits_in_any_order_of_items) {
  const bench::NeuralTexture t = small_texture(DType::f16);
  const Trained one = train(t, *host_gpu(), 5), other = train(t, *host_gpu({.backwards = true}), 5);
  EXPECT_EQ(one.losses, other.losses);
  EXPECT_TRUE(same_bits(one.table, other.table));
  EXPECT_TRUE(same_bits(one.weights, other.weights));
}

TEST(GpuTraining, replays_a_step_in_the_bits_of_its_launches) {
  const bench::NeuralTexture t = small_texture();
  const auto train_with = [&](bool timed, size_t replays) {
    const auto driver = std::make_shared<HostDriver>();
    const auto device = gpu::make_device_on(driver);
    const auto states = *device->prepare_states(*t.program, nullptr, 3, nullptr);
    auto e = *device->compile(t.program, states);
    for (uint64_t i = 0; i < 4; ++i) {
      if (timed) e->reset_timings();
      StepInputs step;
      step.seed = 3;
      step.step = i;
      step.learning_rate = 1e-2 / static_cast<double>(1 + i);
      EXPECT_TRUE(e->run(step));
    }
    EXPECT_EQ(driver->replays, replays);
    for (double seconds : e->timings()) EXPECT_GE(seconds, 0.0);
    return states->read("encoder.table");
  };
  EXPECT_TRUE(same_bits(train_with(false, 2), train_with(true, 0)));
}

TEST(GpuTraining, launches_every_step_where_none_can_be_recorded) {
  const bench::NeuralTexture t = small_texture();
  const Trained recorded = train(t, *host_gpu(), 6), launched = train(t, *host_gpu({.records = false}), 6);
  EXPECT_EQ(recorded.losses, launched.losses);
  EXPECT_TRUE(same_bits(recorded.table, launched.table));
}

// A stand-in for loading kernels: the marks of the first run lie an hour apart.
TEST(GpuTraining, leaves_the_first_run_out_of_its_times) {
  class SlowAtFirst : public HostDriver {
   public:
    double seconds_between(size_t, size_t) override { return waits > 1 ? 1.0 : 3600.0; }
    Status wait() override {
      ++waits;
      return HostDriver::wait();
    }
    int waits = 0;
  };
  const bench::NeuralTexture t = small_texture();
  const auto device = gpu::make_device_on(std::make_shared<SlowAtFirst>());
  auto e = *device->compile(t.program, *device->prepare_states(*t.program, nullptr, 3, nullptr));
  ASSERT_TRUE(e->run({}));
  EXPECT_EQ(e->timings()[0], 3600) << "there is no other yet";
  ASSERT_TRUE(e->run({}));
  EXPECT_EQ(e->timings()[0], 2) << "two runs, each as long as the second";
}

TEST(GpuTraining, starts_from_the_same_states_as_the_cpu) {
  const bench::NeuralTexture t = small_texture(DType::bf16);
  std::vector<std::string> gpu_made, cpu_made;
  const auto gpu = *host_gpu()->prepare_states(*t.program, nullptr, 3, &gpu_made);
  const auto cpu = *(*make_device("cpu"))->prepare_states(*t.program, nullptr, 3, &cpu_made);
  EXPECT_EQ(gpu_made, cpu_made);
  EXPECT_EQ(gpu->names(), cpu->names());
  for (const std::string& name : cpu->names()) EXPECT_TRUE(same_bits(gpu->read(name), cpu->read(name))) << name;
}

TEST(GpuTraining, can_be_cancelled) {
  const bench::NeuralTexture t = small_texture();
  const auto device = host_gpu();
  auto e = *device->compile(t.program, *device->prepare_states(*t.program, nullptr, 3, nullptr));
  const std::atomic<bool> cancel{true};
  StepInputs step;
  step.cancel = &cancel;
  const Status status = e->run(step);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, "HW-R004");
}

TEST(GpuTraining, attributes_time_and_a_kernel_to_every_instruction) {
  const bench::NeuralTexture t = small_texture();
  const auto device = host_gpu();
  auto e = *device->compile(t.program, *device->prepare_states(*t.program, nullptr, 3, nullptr));
  ASSERT_TRUE(e->run({}));
  for (size_t i = 0; i < t.program->instrs.size(); ++i) {
    const Op op = t.program->instrs[i].op;
    const bool product = op == Op::matmul || op == Op::matmul_tn;
    EXPECT_EQ(e->kernel_info(i).implementation, product ? "host product" : "host loop") << i;
    if (op == Op::hash_grid || op == Op::matmul) {
      EXPECT_GT(e->timings()[i], 0.0) << i;
    }
  }
  e->reset_timings();
  for (double s : e->timings()) EXPECT_EQ(s, 0.0);
}

}  // namespace
}  // namespace hw::test::gpu_training_test
