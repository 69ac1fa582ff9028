// Products that add the bias that follows them: the bits of two kernels in one, and never where a value would be lost.
#include "biased_layer.h"
#include "engine/backend/gpu/ops/plain_product.h"
#include "engine/devices/devices.h"
#include "host_gpu.h"
#include "op_judge.h"

namespace hw::test {
namespace {

TEST(GpuBias, is_added_by_the_product_in_the_bits_of_two_kernels) {
  for (DType dtype : {DType::f32, DType::f64})
    for (bool bias_first : {false, true}) {
      const Layer layer(dtype, {12}, false, bias_first);
      ASSERT_TRUE(layer.fuses());
      const auto driver = std::make_shared<HostDriver>();
      const auto fused = layer.on(*gpu::make_device_on(driver));
      const Tensor looked_at = layer.looked_at(*host_gpu());
      for (int i = 0; i < 3; ++i) {  // launched, timed, replayed
        driver->launches = 0;
        ASSERT_TRUE(fused->run({}));
        EXPECT_EQ(driver->launches, 2u);  // the product and relu
        EXPECT_TRUE(same_bits(*fused->read(layer.y.id), looked_at)) << name(dtype);
      }
      const auto cpu = layer.on(**make_device("cpu"));
      ASSERT_TRUE(cpu->run({}));
      expect_within(*fused->read(layer.y.id), *cpu->read(layer.y.id), OpTolerance(dtype, dtype, 20, 2), "layer");
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

// The parts of a convolution: gathered columns, the bias spread over a picture, a product a group, ReLU. Transposed: a
// product a group, the sums of their columns with the bias, ReLU.
TEST(GpuBias, is_added_by_the_convolution_in_the_bits_of_two_kernels) {
  for (DType dtype : {DType::f32, DType::f64})
    for (bool transposed : {false, true})
      for (bool bias_first : {false, true}) {
        const ConvLayer layer(dtype, transposed, {transposed ? 4 : 6, 1, 1}, false, bias_first);
        ASSERT_TRUE(layer.fuses());
        const auto driver = std::make_shared<HostDriver>();
        const auto fused = layer.on(*gpu::make_device_on(driver));
        const Tensor looked_at = layer.looked_at(*host_gpu());
        for (int i = 0; i < 3; ++i) {  // launched, timed, replayed
          driver->launches = 0;
          ASSERT_TRUE(fused->run({}));
          EXPECT_EQ(driver->launches, transposed ? 4u : 5u);
          EXPECT_TRUE(same_bits(*fused->read(layer.y.id), looked_at)) << name(dtype) << transposed;
        }
        const auto ref = layer.on(**make_device("ref"));
        ASSERT_TRUE(ref->run({}));
        expect_within(*fused->read(layer.y.id), *ref->read(layer.y.id), OpTolerance(dtype, dtype, 27, 2),
                      "convolution");
      }
}

TEST(GpuBias, stays_a_kernel_where_the_convolution_is_needed_or_rounded) {
  EXPECT_TRUE(ConvLayer(DType::f32, false, {1, 6, 1, 1}).fuses());
  EXPECT_FALSE(ConvLayer(DType::f16, false, {6, 1, 1}).fuses());
  EXPECT_FALSE(ConvLayer(DType::bf16, true, {4, 1, 1}).fuses());
  EXPECT_FALSE(ConvLayer(DType::f32, false, {5}).fuses()) << "along the width";
  EXPECT_FALSE(ConvLayer(DType::f32, false, {7, 1}).fuses()) << "along the height";
  EXPECT_FALSE(ConvLayer(DType::f32, false, {6, 1, 5}).fuses());
  EXPECT_FALSE(ConvLayer(DType::f32, false, {3, 1, 1, 1}).fuses()) << "along the batch";
  EXPECT_FALSE(ConvLayer(DType::f32, false, {6, 1, 1}, true).fuses());
  const ConvLayer layer(DType::f32, false, {6, 1, 1});
  EXPECT_FALSE(layer.fuses(std::span(&layer.product.id, 1)));
}

// What a driver does where the library has no product with a bias.
TEST(GpuBias, is_added_to_a_product_made_without_in_the_same_bits) {
  std::vector<float> a(24), b(20), matrix(30), bias(5), once(2 * 30 + 7), later(2 * 30 + 7);
  for (std::vector<float>* v : {&a, &b, &matrix, &bias})
    for (size_t i = 0; i < v->size(); ++i) (*v)[i] = static_cast<float>(i % 7) / 3 - 1;
  for (bool by_column : {true, false}) {
    gpu::Gemm g{.n = 6, .k = 4, .m = 5, .batch = by_column ? 1 : 2, .a = a.data(), .b = b.data(), .step_c = 37};
    gpu::Gemm alone = g;
    (by_column ? g.bias : g.matrix) = by_column ? bias.data() : matrix.data();
    g.adds_matrix = !by_column;
    HostDriver driver;
    g.c = once.data();
    ASSERT_TRUE(driver.multiply(g));
    alone.c = g.c = later.data();
    ASSERT_TRUE(driver.multiply(alone));
    EXPECT_NE(once, later);
    ASSERT_TRUE(gpu::add_terms<HostLauncher>(driver, g));
    EXPECT_EQ(once, later);
  }
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
