// Neighbouring elementwise ops as one kernel on the Vulkan device: the numbers of the ops one by one, bit by bit.
#include <cstring>

#include "elementwise_chain.h"
#include "engine/backend/gpu/fused_bias.h"
#include "engine/backend/vulkan/make_driver.h"
#include "engine/backend/vulkan/region_kernels.h"
#include "engine/devices/devices.h"
#include "engine/plan/training_plan.h"
#include "example_graphs.h"
#include "host_gpu.h"

namespace hw::test::vulkan_regions_test {
namespace {

std::shared_ptr<Device> vulkan() {
  static const std::shared_ptr<Device> device = *make_device("vulkan:0");
  return device;
}

/// A dtype, and the seed of a chain.
class VulkanChains : public testing::TestWithParam<std::tuple<DType, uint64_t>> {};

TEST_P(VulkanChains, give_the_bits_of_ops_one_by_one) {
  const auto [dtype, seed] = GetParam();
  const auto plain = drawn_chain(seed, dtype, Regions::never), program = drawn_chain(seed, dtype, Regions::always);
  const auto expected = compiled_chain(*vulkan(), plain, true), executable = compiled_chain(*vulkan(), program, true);
  ASSERT_TRUE(expected->run({}));
  EXPECT_GT(fused_ops(*program, *executable), 3u);
  for (int run = 0; run < 3; ++run) {
    ASSERT_TRUE(executable->run({}));
    for (const Port& out : program->outputs)
      EXPECT_TRUE(same_numbers(*executable->read(out.value), *expected->read(out.value))) << out.name;
  }
}

INSTANTIATE_TEST_SUITE_P(DTypes, VulkanChains,
                         testing::Combine(testing::Values(DType::f32, DType::f16, DType::bf16, DType::f64),
                                          testing::Range<uint64_t>(0, 6)),
                         [](const auto& drawn) {
                           return std::string(name(std::get<0>(drawn.param))) + "_" +
                                  std::to_string(std::get<1>(drawn.param));
                         });

// A quotient beside the same quotient, which was stored before: equal everywhere, since what one op hands to the next
// in a region is rounded as it would be in memory.
TEST(VulkanRegions, round_between_ops_to_the_dtype_of_the_wire) {
  for (const DType dtype : {DType::f16, DType::bf16, DType::f8e4m3}) {
    auto program = std::make_shared<Program>();
    program->regions = Regions::always;
    OpBuilder b(*program);
    const Val x = b.input("x", dtype, {1000}), by = b.input("by", dtype, {1}),
              stored = b.input("stored", dtype, {1000});
    const Val quotient = b.binary(BinaryFn::div, x, by);
    program->outputs.push_back({"equal", b.compare(CompareFn::equal, quotient, stored).id});
    const auto executable =
        *vulkan()->compile(program, *vulkan()->prepare_states(*program, nullptr, 1, nullptr), {}, {});
    EXPECT_EQ(fused_ops(*program, *executable), 2u);
    const Tensor values = Tensor::from_f64(dtype, {1000}, numbers(1000, -4, 4, 1));
    const Tensor divisor = Tensor::from_f64(dtype, {1}, std::vector<double>{3});
    std::vector<double> rounded;
    for (const double value : values.to_f64()) rounded.push_back(static_cast<float>(value) / 3.0f);
    ASSERT_TRUE(executable->write_input("x", values) && executable->write_input("by", divisor));
    ASSERT_TRUE(executable->write_input("stored", Tensor::from_f64(dtype, {1000}, rounded)));
    ASSERT_TRUE(executable->run({}));
    const std::vector<double> equal = (*executable->read(program->outputs[0].value)).to_f64();
    EXPECT_EQ(std::ranges::count(equal, 1.0), 1000) << name(dtype);
  }
}

// More elements than a launch has workgroups of 64, and one number for all of them.
TEST(VulkanRegions, reach_every_element_of_large_tensors) {
  auto program = std::make_shared<Program>();
  program->regions = Regions::always;
  OpBuilder b(*program);
  const int64_t size = 64 * 65'535 + 77;
  const Val x = b.input("x", DType::f32, {size}), one = b.input("one", DType::f32, {1});
  program->outputs.push_back({"y", b.mul(b.add(x, one), one).id});
  const auto executable = *vulkan()->compile(program, *vulkan()->prepare_states(*program, nullptr, 1, nullptr), {}, {});
  std::vector<float> values(static_cast<size_t>(size));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 1024);
  Tensor tensor(DType::f32, {size});
  std::memcpy(tensor.data(), values.data(), tensor.bytes());
  ASSERT_TRUE(executable->write_input("x", tensor));
  ASSERT_TRUE(executable->write_input("one", Tensor::from_f64(DType::f32, {1}, std::vector<double>{2})));
  ASSERT_TRUE(executable->run({}));
  const Tensor made = *executable->read(program->outputs[0].value);
  const auto* y = static_cast<const float*>(made.data());
  size_t wrong = 0;
  for (size_t i = 0; i < values.size(); ++i) wrong += y[i] != (values[i] + 2) * 2;
  EXPECT_EQ(wrong, 0u);
}

// Whole trainings: the gradients of a step, bit by bit, and that no region failed to compile.
TEST(VulkanRegions, leave_the_examples_their_gradients) {
  for (const auto& [name, graph] : example_graphs()) {
    if (name != "neural_texture" && name != "digits" && name != "rotation") continue;
    ExampleAssets assets;
    auto plan = plan_training(reduce_graph(graph, 24, true).graph, assets);
    ASSERT_TRUE(plan) << plan.error().text();
    std::vector<std::vector<Tensor>> made;
    for (const Regions regions : {Regions::never, Regions::unless_looked_at}) {
      auto program = std::make_shared<Program>(*plan->program);
      program->regions = regions;
      const auto states = *vulkan()->prepare_states(*program, nullptr, 1, nullptr);
      const auto executable = *vulkan()->compile(program, states, {}, {});
      const auto expected_regions = regions == Regions::never
                                        ? std::vector<gpu::Region>{}
                                        : gpu::elementwise_regions(*program, {}, gpu::fused_biases(*program, {}));
      size_t ops = 0;
      for (const gpu::Region& region : expected_regions) ops += region.count;
      EXPECT_EQ(fused_ops(*program, *executable), ops) << name << ": a region did not compile";
      EXPECT_EQ(ops > 0, regions != Regions::never) << name;
      ASSERT_TRUE(executable->run({}));
      std::vector<Tensor>& outputs = made.emplace_back();
      for (const Port& port : program->outputs) outputs.push_back(*executable->read(port.value));
    }
    for (size_t k = 0; k < made[0].size(); ++k)
      EXPECT_TRUE(same_bits(made[0][k], made[1][k])) << name << " " << plan->program->outputs[k].name;
  }
}

TEST(VulkanRegions, share_a_kernel_where_they_do_the_same_on_other_sizes) {
  const auto text_of = [](int64_t rows, bool stretched) {
    Program p;
    OpBuilder b(p);
    const Val x = b.input("x", DType::f32, {rows, 4}), y = b.input("y", DType::f32, {stretched ? 1 : rows, 4});
    p.outputs.push_back({"z", b.relu(b.add(x, y)).id});
    const auto regions = gpu::regions_of(p, {}, [](size_t) { return true; });
    const std::vector<void*> data(p.values.size(), nullptr);
    return vulkan::region_text(p, regions.at(0), *gpu::operands_of(p, regions[0], data))->text;
  };
  EXPECT_EQ(text_of(3, false), text_of(100, false));
  EXPECT_NE(text_of(3, false), text_of(3, true));
}

// Without glslangValidator every op is a kernel of its own.
TEST(VulkanRegions, are_left_out_without_a_compiler) {
  const auto device = gpu::make_device_on(*vulkan::make_driver(0, ~size_t{0}));
  const auto program = drawn_chain(1, DType::f32, Regions::always);
  const std::string path = std::getenv("PATH");
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  const std::string cache_before = cache ? cache : "";
  ::setenv("PATH", "/nowhere", 1);
  ::setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
  const auto executable = compiled_chain(*device, program, false);
  ::setenv("PATH", path.c_str(), 1);
  ::setenv("XDG_CACHE_HOME", cache_before.c_str(), 1);
  EXPECT_EQ(fused_ops(*program, *executable), 0u);
  ASSERT_TRUE(executable->run({}));
  const auto expected = compiled_chain(*vulkan(), drawn_chain(1, DType::f32, Regions::never), false);
  ASSERT_TRUE(expected->run({}));
  for (const Port& out : program->outputs)
    EXPECT_TRUE(same_numbers(*executable->read(out.value), *expected->read(out.value)));
}

TEST(VulkanRegions, have_one_text_whatever_their_numbers_are) {
  const auto text_of = [](double factor) {
    Program p;
    OpBuilder b(p);
    const Val x = b.input("x", DType::f32, {5});
    p.outputs.push_back({"y", b.clamp(b.unary(UnaryFn::leaky_relu, b.scale(x, factor), factor), -factor, 2).id});
    const std::vector<void*> data(p.values.size(), nullptr);
    const auto regions = gpu::regions_of(p, {}, [](size_t) { return true; });
    return *vulkan::region_text(p, regions.at(0), *gpu::operands_of(p, regions[0], data));
  };
  EXPECT_EQ(text_of(0.5).text, text_of(0).text);
  EXPECT_NE(text_of(0.5).functor, text_of(0).functor);
}

}  // namespace
}  // namespace hw::test::vulkan_regions_test
