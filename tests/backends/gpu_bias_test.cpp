// Products that add the bias that follows them: the bits of two kernels in one, and never where a value would be lost.
#include "biased_layer.h"
#include "host_gpu.h"

namespace hw::test {
namespace {

TEST(GpuBias, is_added_by_the_product_in_the_bits_of_two_kernels) {
  for (DType dtype : {DType::f32, DType::f64})
    for (bool bias_first : {false, true}) {
      const Layer layer(dtype, {12}, false, bias_first);
      ASSERT_TRUE(layer.fuses());
      const auto driver = std::make_shared<HostDriver>();
      const auto fused = layer.on(*cuda::make_device_on(driver));
      const Tensor looked_at = layer.looked_at(*host_gpu());
      for (int i = 0; i < 3; ++i) {  // launched, timed, replayed
        driver->launches = 0;
        ASSERT_TRUE(fused->run({}));
        EXPECT_EQ(driver->launches, 2u);  // the product and relu
        EXPECT_TRUE(same_bits(*fused->read(layer.y.id), looked_at)) << name(dtype);
      }
      const auto cpu = layer.on(**make_device("cpu"));
      ASSERT_TRUE(cpu->run({}));
      expect_close(*fused->read(layer.y.id), *cpu->read(layer.y.id), tolerance(dtype, 20), "layer");
    }
}

TEST(GpuBias, stays_a_kernel_where_the_product_is_needed_or_rounded) {
  EXPECT_FALSE(Layer(DType::f16).fuses());
  EXPECT_FALSE(Layer(DType::bf16).fuses());
  EXPECT_FALSE(Layer(DType::f32, {33, 1}).fuses());
  EXPECT_FALSE(Layer(DType::f32, {33, 12}).fuses());
  EXPECT_FALSE(Layer(DType::f32, {12}, true).fuses());
  EXPECT_TRUE(Layer(DType::f32, {1, 12}).fuses());
  const Layer layer(DType::f32);
  EXPECT_FALSE(layer.fuses(std::span(&layer.product.id, 1)));
  EXPECT_TRUE(layer.fuses(std::span(&layer.sum.id, 1)));
}

TEST(GpuBias, of_a_product_without_terms_is_the_result) {
  auto program = std::make_shared<Program>();
  OpBuilder b(*program);
  b.set_node("layer");
  const Val y = b.add(b.matmul(b.input("x", DType::f32, {3, 0}), b.input("w", DType::f32, {2, 0}), true),
                      b.param("b", DType::f32, {2}, {Init::Kind::constant, 7, 0}));
  program->outputs.push_back({"y", y.id});
  const auto device = host_gpu();
  auto e = *device->compile(program, *device->prepare_states(*program, nullptr, 1, nullptr));
  ASSERT_TRUE(e->run({}));
  EXPECT_EQ(e->read(y.id)->to_f64(), std::vector<double>(6, 7));
}

}  // namespace
}  // namespace hw::test
