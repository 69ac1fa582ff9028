// Convolutions that a driver's library makes: which they are, their scratch, their biases; the rest stay products.
#include "biased_layer.h"
#include "engine/devices/devices.h"
#include "host_gpu.h"
#include "op_judge.h"

namespace hw::test::gpu_convolution_test {
namespace {

bool is_convolution(Op op) {
  return op == Op::conv2d || op == Op::conv2d_grad_input || op == Op::conv2d_grad_weight;
}

/// How a program of one convolution runs.
struct Ran {
  size_t by_library = 0, temp_bytes = 0;
  KernelInfo info;
};
Ran ran(const CaseProgram& p, bool convolves) {
  const auto driver = std::make_shared<HostDriver>(HostDriver::Options{.convolves = convolves});
  const auto device = gpu::make_device_on(driver);
  const auto e = *device->compile(p.program, *device->prepare_states(*p.program, nullptr, 1, nullptr));
  EXPECT_TRUE(e->run({}));
  return {driver->convolutions, e->temp_bytes(), e->kernel_info(0)};
}

OpCase convolution(Op op, const ConvAttr& attr, const Dims& x, const Dims& weight, const Dims& y) {
  ConvAttr a = attr;
  if (op == Op::conv2d) return {op, "", {x, weight}, a};
  a.dims = op == Op::conv2d_grad_input ? x : weight;
  return op == Op::conv2d_grad_input ? OpCase{op, "", {y, weight}, a} : OpCase{op, "", {x, y}, a};
}

TEST(GpuConvolution, of_a_library_agrees_with_ref) {
  const auto gpu = host_gpu({.convolves = true});
  for (const OpCase& c : op_cases()) {
    if (!is_convolution(c.op)) continue;
    for (DType dtype : kComputeDTypes)
      expect_agrees(case_program(c, dtype), *gpu, c.name + " in " + std::string(name(dtype)));
  }
}

TEST(GpuConvolution, goes_to_the_library_where_that_has_one_like_it) {
  ConvAttr even;
  even.pad_begin = even.pad_end = {1, 1};
  ConvAttr odd = even;
  odd.pad_end = {1, 2};
  ConvAttr to_spare = even;  // the last window ends before the zeros that would be missing
  to_spare.stride = {1, 2};
  to_spare.pad_end = {1, 0};
  ConvAttr narrow = even;
  narrow.compute = DType::f16;
  ConvAttr tf32 = even;
  tf32.compute = DType::tf32;
  const Dims x{2, 3, 6, 5}, x_to_spare{2, 3, 6, 6}, weight{4, 3, 3, 3}, y{2, 4, 6, 5};
  for (Op op : {Op::conv2d, Op::conv2d_grad_input, Op::conv2d_grad_weight}) {
    const auto by_library = [&](const ConvAttr& a, const Dims& in, const Dims& out, DType dtype) {
      return ran(case_program(convolution(op, a, in, weight, out), dtype), true).by_library > 0;
    };
    EXPECT_TRUE(by_library(even, x, y, DType::f32));
    EXPECT_EQ(by_library(even, x, y, DType::f64), op != Op::conv2d_grad_weight) << "a weight's gradient is f32";
    EXPECT_TRUE(by_library(tf32, x, y, DType::f32));
    EXPECT_TRUE(by_library(to_spare, x_to_spare, {2, 4, 6, 3}, DType::f32));
    EXPECT_FALSE(by_library(odd, x, {2, 4, 6, 6}, DType::f32)) << "more zeros on one side";
    EXPECT_FALSE(by_library(narrow, x, y, DType::f32)) << "its result would be rounded to f16";
    EXPECT_FALSE(by_library(even, x, y, DType::bf16)) << "the library refuses it";
    EXPECT_FALSE(by_library(even, x, y, DType::f8e4m3));
    EXPECT_FALSE(by_library(even, {0, 3, 6, 5}, {0, 4, 6, 5}, DType::f32)) << "there is no picture";
    EXPECT_EQ(by_library(even, x, y, DType::f16), op != Op::conv2d_grad_weight) << "a weight's gradient is f32";
  }
}

TEST(GpuConvolution, takes_the_scratch_that_the_library_asks_for_and_says_who_ran) {
  ConvAttr attr;
  const CaseProgram p =
      case_program(convolution(Op::conv2d, attr, {2, 3, 6, 5}, {4, 3, 3, 3}, {2, 4, 4, 3}), DType::f32);
  const Ran library = ran(p, true), products = ran(p, false);
  EXPECT_EQ(library.by_library, 1u);
  EXPECT_EQ(products.by_library, 0u);
  EXPECT_EQ(library.info.implementation, "host convolution");
  EXPECT_EQ(products.info.implementation, "host product");
  EXPECT_EQ(library.info.accumulate, DType::f32);
  EXPECT_GE(library.temp_bytes, 1002u);
  EXPECT_LT(library.temp_bytes, products.temp_bytes) << "the columns of two pictures take more";
}

TEST(GpuConvolution, of_a_library_adds_its_bias_in_the_bits_of_two_kernels) {
  for (DType dtype : {DType::f32, DType::f64})
    for (bool transposed : {false, true}) {
      const ConvLayer layer(dtype, transposed, {transposed ? 4 : 6, 1, 1});
      ASSERT_TRUE(layer.fuses());
      const auto driver = std::make_shared<HostDriver>(HostDriver::Options{.convolves = true});
      const auto e = layer.on(*gpu::make_device_on(driver));
      const Tensor looked_at = layer.looked_at(*host_gpu({.convolves = true}));
      for (size_t i = 1; i <= 3; ++i) {  // launched, timed, replayed
        ASSERT_TRUE(e->run({}));
        EXPECT_EQ(driver->convolutions, i);
        EXPECT_TRUE(same_bits(*e->read(layer.y.id), looked_at)) << name(dtype) << transposed;
      }
      const auto ref = layer.on(**make_device("ref"));
      ASSERT_TRUE(ref->run({}));
      expect_within(*e->read(layer.y.id), *ref->read(layer.y.id), OpTolerance(dtype, dtype, 27, 2), "convolution");
    }
}

TEST(GpuConvolution, that_fails_ends_the_run_with_its_node) {
  const ConvLayer layer(DType::f32, false, {6, 1, 1});
  const auto driver = std::make_shared<HostDriver>(HostDriver::Options{.convolves = true});
  const auto e = layer.on(*gpu::make_device_on(driver));
  driver->fail_after(2, Error{codes::gpu_failed, "", "cudnnConvolutionForward: failed.", ""});
  const Status status = e->run({});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, "HW-R005");
  EXPECT_NE(status.error().text().find("layer"), std::string::npos) << status.error().text();
}

}  // namespace
}  // namespace hw::test::gpu_convolution_test
