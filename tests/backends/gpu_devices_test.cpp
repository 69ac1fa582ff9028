// Several Device objects of one GPU, each with a driver of its own in host memory: whoever prepares again makes the
// device anew, and goes on with the states there are.
#include <algorithm>
#include <cmath>

#include "engine/devices/devices.h"
#include "host_gpu.h"
#include "op_cases.h"
#include "tests/bench/neural_texture.h"

namespace hw::test::gpu_devices_test {
namespace {

bench::NeuralTexture small_texture() {
  bench::NeuralTextureOptions o;
  o.points = 501;
  o.log2_table = 9;
  o.levels = 4;
  return bench::neural_texture(o, bench::textured_sphere(8, 12, 16));
}

using MakeDevice = std::function<std::shared_ptr<Device>()>;

/// Losses and table of twice three steps, each three prepared and compiled on what `device` gives.
std::pair<std::vector<double>, Tensor> train_twice(const std::shared_ptr<const Program>& program, ValueId loss,
                                                   const MakeDevice& device) {
  std::vector<double> losses;
  std::shared_ptr<States> states;
  for (uint64_t i = 0; i < 6; i += 3) {
    const auto on = device();
    std::vector<std::string> made;
    auto prepared = on->prepare_states(*program, states, 3, &made);
    EXPECT_TRUE(prepared) << (prepared ? "" : prepared.error().text());
    if (!prepared) return {};
    EXPECT_EQ(made.empty(), i > 0);
    states = *prepared;
    auto executable = on->compile(program, states);
    EXPECT_TRUE(executable) << (executable ? "" : executable.error().text());
    if (!executable) return {};
    for (uint64_t k = i; k < i + 3; ++k) {
      StepInputs step;
      step.seed = 3;
      step.step = k;
      step.learning_rate = 1e-2;
      const Status status = (*executable)->run(step);
      EXPECT_TRUE(status) << (status ? "" : status.error().text());
      losses.push_back((*executable)->read(loss)->to_f64()[0]);
    }
  }
  return {losses, states->read("encoder.table")};
}

void expect_same(const std::shared_ptr<const Program>& program, ValueId loss, const MakeDevice& again) {
  const auto once = again();
  const auto expected = train_twice(program, loss, [&] { return once; });
  const auto got = train_twice(program, loss, again);
  ASSERT_EQ(expected.first.size(), 6u);
  EXPECT_EQ(got.first, expected.first);
  ASSERT_FALSE(got.second.empty());
  EXPECT_TRUE(same_bits(got.second, expected.second));
}

TEST(GpuDevices, made_anew_go_on_with_the_states_of_the_same_gpu) {
  const bench::NeuralTexture t = small_texture();
  expect_same(t.program, t.loss.id, [] { return host_gpu(); });
}

TEST(GpuDevices, made_anew_beside_the_cpu_go_on_with_the_states_there) {
  const bench::NeuralTexture t = small_texture();
  auto program = std::make_shared<Program>(*t.program);
  const auto at = std::ranges::find(program->nodes, "mlp");
  ASSERT_NE(at, program->nodes.end());
  program->devices.resize(program->nodes.size());
  program->devices[static_cast<size_t>(at - program->nodes.begin())] = "cuda:0";
  expect_same(program, t.loss.id, [] {
    return make_placed_device(*make_device("cpu"),
                              [](const std::string&) -> Result<std::shared_ptr<Device>> { return host_gpu(); });
  });
}

std::shared_ptr<Program> one_parameter() {
  auto program = std::make_shared<Program>();
  OpBuilder b(*program);
  b.set_node("layer");
  program->outputs.push_back({"y", b.relu(b.param("w", DType::f32, {5}, {Init::Kind::constant, 3, 0})).id});
  return program;
}

TEST(GpuDevices, leave_their_memory_to_the_states_that_live_there) {
  const auto first = std::make_shared<HostDriver>(), second = std::make_shared<HostDriver>();
  const auto program = one_parameter();
  const auto states = *gpu::make_device_on(first)->prepare_states(*program, nullptr, 1, nullptr);
  const auto device = gpu::make_device_on(second);
  ASSERT_TRUE(device->prepare_states(*program, states, 1, nullptr));
  auto executable = *device->compile(program, states);
  ASSERT_TRUE(executable->run({}));
  EXPECT_EQ(executable->read(program->outputs[0].value)->to_f64(), std::vector<double>(5, 3));
  EXPECT_EQ(second->allocations(), 0u);
  EXPECT_GT(first->allocations(), 1u);
}

TEST(GpuDevices, refuse_the_states_of_another_gpu) {
  const auto program = one_parameter();
  const auto states = *host_gpu({.id = "cuda:1"})->prepare_states(*program, nullptr, 1, nullptr);
  const auto prepared = host_gpu()->prepare_states(*program, states, 1, nullptr);
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().code, "HW-R002");
  const auto compiled = host_gpu()->compile(program, states);
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().code, "HW-R002");
}

TEST(GpuDevices, keep_the_failure_of_the_gpu_that_the_states_are_on) {
  const auto driver = std::make_shared<HostDriver>();
  const auto program = one_parameter();
  const auto states = *gpu::make_device_on(driver)->prepare_states(*program, nullptr, 1, nullptr);
  driver->fail_after(0, Error{"HW-R005", "cuda", "an illegal memory access was encountered.", ""});
  ASSERT_FALSE(states->write("layer.w", Tensor::zeros(DType::f32, {5})));
  const auto device = host_gpu();
  const auto prepared = device->prepare_states(*program, states, 1, nullptr);
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().code, "HW-R005");
  const auto compiled = device->compile(program, states);
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().code, "HW-R005");
  EXPECT_TRUE(device->prepare_states(*program, nullptr, 1, nullptr));
}

TEST(GpuDevices, whose_states_move_away_after_a_failure_hand_on_no_numbers) {
  const auto driver = std::make_shared<HostDriver>();
  const auto device = make_placed_device(
      *make_device("cpu"),
      [&](const std::string&) -> Result<std::shared_ptr<Device>> { return gpu::make_device_on(driver); });
  const auto program = one_parameter();
  Program pinned = *program;
  pinned.devices.assign(pinned.nodes.size(), "cuda:0");
  const auto states = *device->prepare_states(pinned, nullptr, 1, nullptr);
  ASSERT_EQ(states->read("layer.w").to_f64(), std::vector<double>(5, 3));
  driver->fail_after(0, Error{"HW-R005", "cuda", "gone", ""});
  ASSERT_TRUE(device->prepare_states(*program, states, 1, nullptr));
  for (const double v : states->read("layer.w").to_f64()) EXPECT_TRUE(std::isnan(v)) << v;
}

/// x → y = relu(x) → z = 2 y.
struct Halves {
  std::shared_ptr<Program> first = std::make_shared<Program>(), second = std::make_shared<Program>();
  Val x, y, z;
  Halves() {
    OpBuilder a(*first), b(*second);
    x = a.input("x", DType::f32, {4});
    y = a.relu(x);
    first->outputs.push_back({"y", y.id});
    z = b.scale(b.input("y", DType::f32, {4}), 2);
    b.input("wide", DType::f32, {5});
    second->outputs.push_back({"z", z.id});
  }
  static std::unique_ptr<Executable> on(Device& device, const std::shared_ptr<Program>& program) {
    return *device.compile(program, *device.prepare_states(*program, nullptr, 1, nullptr));
  }
  void give(Executable& to) const {
    ASSERT_TRUE(to.write_input("x", Tensor::from_f64(DType::f32, {4}, {{1, -2, 3, 4}})));
  }
};

TEST(GpuExecutable, takes_a_value_of_another_on_the_device) {
  const Halves h;
  const auto driver = std::make_shared<HostDriver>();
  const auto device = gpu::make_device_on(driver);
  const auto states = *device->prepare_states(*h.first, nullptr, 1, nullptr);
  const auto from = *device->compile(h.first, states), to = *device->compile(h.second, states);
  h.give(*from);
  const Status early = to->take_input("y", *from, h.y.id);
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().code, "HW-R002");
  ASSERT_TRUE(from->run({}));
  const size_t host_copies = driver->host_copies, copies = driver->copies;
  ASSERT_TRUE(to->take_input("y", *from, h.y.id));
  EXPECT_EQ(driver->host_copies, host_copies);
  EXPECT_EQ(driver->copies, copies + 1);
  ASSERT_TRUE(to->run({}));
  EXPECT_EQ(to->read(h.z.id)->to_f64(), (std::vector<double>{2, 0, 6, 8}));
  for (const char* wrong : {"wide", "nobody"}) {
    const Status status = to->take_input(wrong, *from, h.y.id), written = to->write_input(wrong, *from->read(h.y.id));
    ASSERT_FALSE(status);
    ASSERT_FALSE(written);
    EXPECT_EQ(status.error().code, written.error().code);
    EXPECT_EQ(status.error().where, wrong);
  }
}

TEST(GpuExecutable, takes_a_value_of_another_device_through_the_host) {
  const Halves h;
  const auto one = std::make_shared<HostDriver>(), other = std::make_shared<HostDriver>();
  const auto to = Halves::on(*gpu::make_device_on(other), h.second);
  for (const auto& device : {gpu::make_device_on(one), *make_device("cpu")}) {
    const auto from = Halves::on(*device, h.first);
    h.give(*from);
    ASSERT_TRUE(from->run({}));
    const size_t host_copies = other->host_copies;
    ASSERT_TRUE(to->take_input("y", *from, h.y.id));
    EXPECT_EQ(other->host_copies, host_copies + 1);
    EXPECT_EQ(other->copies, 0u);
    ASSERT_TRUE(to->run({}));
    EXPECT_EQ(to->read(h.z.id)->to_f64(), (std::vector<double>{2, 0, 6, 8}));
  }
}

}  // namespace
}  // namespace hw::test::gpu_devices_test
