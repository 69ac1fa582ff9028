// The cuda device on a real GPU: every op against ref, and in the bits that the same functors give on the host.
// Skipped, with the reason, where there is no GPU; gpu_*_test.cpp run everywhere.
#include "biased_layer.h"
#include "engine/backend/cuda/gpus.h"
#include "engine/devices/devices.h"
#include "example_graphs.h"
#include "half_gradient.h"
#include "host_gpu.h"
#include "host_rows.h"
#include "op_judge.h"
#include "tests/engine/field_cases.h"
#include "trained_texture.h"

namespace hw::test::cuda_device_test {
namespace {

std::string what(const OpCase& c, DType dtype) {
  return std::string(info(c.op).name) + " (" + c.name + ") in " + std::string(name(dtype));
}

// Ops that call neither cuBLASLt nor a function of the platform whose last bit is its own (log, pow, exp in f64).
bool has_own_bits(const OpCase& c) {
  switch (c.op) {
    case Op::matmul:
    case Op::matmul_tn:
    case Op::batch_matmul:
    case Op::conv2d:
    case Op::conv2d_grad_input:
    case Op::conv2d_grad_weight:
    case Op::unary:
    case Op::unary_grad:
    case Op::binary:
    case Op::binary_grad:
    case Op::softmax:
    case Op::adam_update:
    case Op::nadam_update:
    case Op::radam_update:
    case Op::random:
      return false;
    default:
      return true;
  }
}

class Cuda : public testing::TestWithParam<DType> {
 protected:
  void SetUp() override {
    auto made = make_device("cuda:0");
    if (!made) GTEST_SKIP() << made.error().text();
    gpu_ = *made;
  }
  std::shared_ptr<Device> gpu_;
};

TEST_P(Cuda, agrees_with_ref) {
  for (const OpCase& c : op_cases()) expect_agrees(case_program(c, GetParam()), *gpu_, what(c, GetParam()));
}

TEST_P(Cuda, gives_the_bits_of_the_host) {
  if (GetParam() == DType::f64) GTEST_SKIP() << "the platform's functions in f64 differ in their last bit";
  const auto host = host_gpu();
  for (const OpCase& c : op_cases()) {
    if (!has_own_bits(c)) continue;
    const CaseProgram p = case_program(c, GetParam());
    const std::vector<Tensor> got = run_case(p, *gpu_), expected = run_case(p, *host);
    for (size_t k = 0; k < got.size(); ++k) {
      const std::vector<double> a = got[k].to_f64(), b = expected[k].to_f64();  // any NaN is NaN
      for (size_t i = 0; i < a.size(); ++i)
        ASSERT_TRUE(a[i] == b[i] || (a[i] != a[i] && b[i] != b[i])) << what(c, GetParam()) << ", element " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(DTypes, Cuda, testing::ValuesIn(kComputeDTypes),
                         [](const auto& dtype) { return std::string(name(dtype.param)); });

using CudaDevice = Cuda;
INSTANTIATE_TEST_SUITE_P(F32, CudaDevice, testing::Values(DType::f32));

TEST_P(CudaDevice, trains_as_the_cpu_does_and_gives_the_same_bits_again) {
  for (DType mlp : {DType::f32, DType::f16}) {
    bench::NeuralTextureOptions o;
    o.points = 4096;
    o.log2_table = 12;
    o.mlp = mlp;
    const bench::NeuralTexture t = bench::neural_texture(o, bench::textured_sphere(16, 24, 64));
    const Trained one = train(t, *gpu_, 60), again = train(t, *gpu_, 60), cpu = train(t, **make_device("cpu"), 6);
    for (size_t i = 0; i < cpu.losses.size(); ++i) EXPECT_NEAR(one.losses[i], cpu.losses[i], 2e-3 * cpu.losses[i]) << i;
    EXPECT_LT(one.losses.back(), 0.4 * one.losses.front());
    EXPECT_EQ(one.losses, again.losses);
    EXPECT_TRUE(same_bits(one.table, again.table));
  }
}

TEST_P(CudaDevice, trains_the_examples_as_the_cpu_does_op_by_op) {
  expect_parity(gpu_, 4096, false, 3);
}

TEST_P(CudaDevice, adds_a_bias_in_the_same_bits_whether_looked_at_or_not) {
  const auto expect_same = [&](const BiasedLayer& layer) {
    ASSERT_TRUE(layer.fuses());
    const auto e = layer.on(*gpu_), ref = layer.on(**make_device("ref"));
    ASSERT_TRUE(ref->run({}));
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(e->run({}));
      EXPECT_TRUE(same_bits(*e->read(layer.y.id), layer.looked_at(*gpu_)));
      expect_within(*e->read(layer.y.id), *ref->read(layer.y.id), OpTolerance(DType::f32, DType::f32, 27, 2), "layer");
    }
  };
  expect_same(Layer(DType::f32));
  expect_same(ConvLayer(DType::f32, false, {6, 1, 1}));
  expect_same(ConvLayer(DType::f32, true, {4, 1, 1}));
}

// The library's epilogue takes a bias in bf16 there, not in the f32 of the sums.
TEST_P(CudaDevice, adds_a_bias_to_a_product_of_f8) {
  auto program = std::make_shared<Program>();
  OpBuilder b(*program);
  b.set_node("layer");
  const Val x = b.input("x", DType::f8e4m3, {32, 16}), w = b.input("w", DType::f8e4m3, {48, 16});
  const Val bias = b.input("bias", DType::f8e4m3, {48});
  const Val y = b.emit(Op::matmul, {x, w, bias}, MatmulAttr{.transpose_b = true}).front();
  program->outputs.push_back({"y", y.id});
  const auto made = [&](Device& device) {
    auto e = *device.compile(program, *device.prepare_states(*program, nullptr, 1, nullptr));
    for (const auto& [name, dims] : {std::pair("x", Dims{32, 16}), {"w", Dims{48, 16}}, {"bias", Dims{48}}})
      EXPECT_TRUE(e->write_input(name, Tensor::from_f64(DType::f8e4m3, dims, numbers(element_count(dims), -1, 1, 3))));
    EXPECT_TRUE(e->run({}));
    return *e->read(y.id);
  };
  expect_within(made(*gpu_), made(**make_device("ref")), OpTolerance(DType::f8e4m3, DType::f32, 17, 1), "layer");
}

TEST_P(CudaDevice, convolves_by_the_library_where_it_is_built_in) {
  const auto driver = cuda::make_driver(0, 0);
  ASSERT_TRUE(driver) << driver.error().text();
  const std::string library = (*driver)->convolution_implementation();
  if (library.empty()) GTEST_SKIP() << "This build has no cuDNN: HALFWIRE_CUDNN is OFF.";
  size_t by_library = 0;
  for (const OpCase& c : op_cases()) {
    if (c.op != Op::conv2d && c.op != Op::conv2d_grad_input && c.op != Op::conv2d_grad_weight) continue;
    const CaseProgram p = case_program(c, DType::f32);
    const auto e = *gpu_->compile(p.program, *gpu_->prepare_states(*p.program, nullptr, 1, nullptr));
    by_library += e->kernel_info(0).implementation == library;
    EXPECT_TRUE(same_bits(run_case(p, *gpu_)[0], run_case(p, *gpu_)[0])) << what(c, DType::f32);
    expect_agrees(p, *gpu_, what(c, DType::f32));
  }
  EXPECT_GT(by_library, 0u);
}

TEST_P(CudaDevice, makes_the_fields_of_ref) {
  expect_fields_of_ref([] { return *make_device("cuda:0"); });
}

TEST_P(CudaDevice, rounds_a_table_gradient_to_f16_and_counts_what_it_loses) {
  expect_losses_of_the_cpu(gpu_);
}

TEST_P(CudaDevice, is_sent_the_rows_of_a_large_data_set) {
  const auto driver = cuda::make_driver(0, 10);
  ASSERT_TRUE(driver) << driver.error().text();
  expect_rows_of_the_cpu(gpu::make_device_on(*driver));
}

TEST_P(CudaDevice, refuses_what_cannot_fit_and_stays_usable) {
  auto program = std::make_shared<Program>();
  OpBuilder b(*program);
  b.set_node("huge");
  program->outputs.push_back({"y", b.relu(b.broadcast_to(b.input("x", DType::f32, {1}), {int64_t{1} << 46})).id});
  const auto states = *gpu_->prepare_states(*program, nullptr, 1, nullptr);
  const auto compiled = gpu_->compile(program, states);
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().code, "HW-R001");
  EXPECT_EQ(compiled.error().where, "huge");
  const CaseProgram p = case_program(op_cases().front(), DType::f32);
  EXPECT_EQ(run_case(p, *gpu_).size(), 1u);
}

TEST_P(CudaDevice, is_listed) {
  const std::vector<std::string> ids = device_ids();
  EXPECT_NE(std::find(ids.begin(), ids.end(), "cuda:0"), ids.end());
  EXPECT_NE(gpu_->description().find((*cuda::gpus())[0].name), std::string::npos);
}

}  // namespace
}  // namespace hw::test::cuda_device_test
