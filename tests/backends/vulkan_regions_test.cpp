// Neighbouring elementwise ops as one kernel on the Vulkan device: the numbers of the ops one by one, bit by bit.
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

class VulkanChains : public testing::TestWithParam<DType> {};

TEST_P(VulkanChains, give_the_bits_of_ops_one_by_one) {
  size_t fused = 0;
  for (uint64_t seed = 0; seed < 6; ++seed) {
    const auto plain = drawn_chain(seed, GetParam(), Regions::never);
    const auto program = drawn_chain(seed, GetParam(), Regions::always);
    const auto expected = compiled_chain(*vulkan(), plain, true), executable = compiled_chain(*vulkan(), program, true);
    ASSERT_TRUE(expected->run({}));
    fused += fused_ops(*program, *executable);
    for (int run = 0; run < 3; ++run) {
      ASSERT_TRUE(executable->run({}));
      for (const Port& out : program->outputs)
        EXPECT_TRUE(same_numbers(*executable->read(out.value), *expected->read(out.value))) << seed << " " << out.name;
    }
  }
  EXPECT_GT(fused, 30u);
}

INSTANTIATE_TEST_SUITE_P(DTypes, VulkanChains, testing::Values(DType::f32, DType::f16, DType::f64),
                         [](const auto& dtype) { return std::string(name(dtype.param)); });

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
