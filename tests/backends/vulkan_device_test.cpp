// The vulkan device on Mesa's lavapipe: every op against ref, the same bits again, trainings and examples beside the
// cpu, a planted fault. On a driver of a GPU where VK_DRIVER_FILES names one.
#include "biased_layer.h"
#include "engine/backend/gpu/gpu_device.h"
#include "engine/backend/gpu/ops/pointwise.h"
#include "engine/backend/vulkan/adapters.h"
#include "engine/backend/vulkan/kernel_code.h"
#include "engine/backend/vulkan/launcher.h"
#include "engine/backend/vulkan/make_driver.h"
#include "engine/devices/devices.h"
#include "example_graphs.h"
#include "half_gradient.h"
#include "host_gpu.h"
#include "host_rows.h"
#include "op_judge.h"
#include "tests/engine/field_cases.h"
#include "trained_texture.h"

namespace hw::test::vulkan_device_test {
namespace {

std::string what(const OpCase& c, DType dtype) {
  return std::string(info(c.op).name) + " (" + c.name + ") in " + std::string(name(dtype));
}

/// One for all tests: its kernels are compiled once.
std::shared_ptr<Device> vulkan() {
  static const std::shared_ptr<Device> device = [] {
    auto made = make_device("vulkan:0");
    EXPECT_TRUE(made) << (made ? "" : made.error().text());
    return made ? *made : nullptr;
  }();
  return device;
}

class Vulkan : public testing::TestWithParam<DType> {
 protected:
  void SetUp() override { ASSERT_NE(vulkan(), nullptr); }
};

TEST_P(Vulkan, agrees_with_ref_in_the_same_bits_again) {
  for (const OpCase& c : op_cases()) {
    const CaseProgram p = case_program(c, GetParam());
    const CaseRun run = start_case(p, *vulkan());
    EXPECT_EQ(OpJudge(p).complaint(run), "") << what(c, GetParam());
    const std::vector<Tensor> one = run.outputs(p), again = run_case(p, *vulkan());
    for (size_t k = 0; k < one.size(); ++k) EXPECT_TRUE(same_bits(one[k], again[k])) << what(c, GetParam());
  }
}

INSTANTIATE_TEST_SUITE_P(DTypes, Vulkan, testing::ValuesIn(kComputeDTypes),
                         [](const auto& dtype) { return std::string(name(dtype.param)); });

class VulkanDevice : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(vulkan(), nullptr); }
};

TEST_F(VulkanDevice, trains_as_the_cpu_does_and_gives_the_same_bits_again) {
  for (DType mlp : {DType::f32, DType::f16}) {
    const bench::NeuralTexture t = small_texture(256, mlp);
    const Trained one = train(t, *vulkan(), 20), again = train(t, *vulkan(), 20),
                  cpu = train(t, **make_device("cpu"), 6);
    for (size_t i = 0; i < cpu.losses.size(); ++i) EXPECT_NEAR(one.losses[i], cpu.losses[i], 2e-3 * cpu.losses[i]) << i;
    EXPECT_LT(one.losses.back(), 0.8 * one.losses.front());
    EXPECT_EQ(one.losses, again.losses);
    EXPECT_TRUE(same_bits(one.table, again.table));
  }
}

TEST_F(VulkanDevice, trains_the_examples_as_the_cpu_does_op_by_op) {
  expect_parity(vulkan(), 24, true, 1);
}

TEST_F(VulkanDevice, adds_a_bias_in_the_same_bits_whether_looked_at_or_not) {
  const auto expect_same = [&](const BiasedLayer& layer) {
    ASSERT_TRUE(layer.fuses());
    const auto e = layer.on(*vulkan()), ref = layer.on(**make_device("ref"));
    ASSERT_TRUE(ref->run({}));
    for (int i = 0; i < 4; ++i) {
      ASSERT_TRUE(e->run({}));
      EXPECT_TRUE(same_bits(*e->read(layer.y.id), layer.looked_at(*vulkan())));
      expect_within(*e->read(layer.y.id), *ref->read(layer.y.id), OpTolerance(DType::f32, DType::f32, 27, 2), "layer");
    }
  };
  expect_same(Layer(DType::f32));
  expect_same(ConvLayer(DType::f32, false, {6, 1, 1}));
  expect_same(ConvLayer(DType::f32, true, {4, 1, 1}));
}

/// One op on inputs of these sizes, on both devices.
void expect_op(Op op, const std::vector<Dims>& in, const Attr& attr, DType dtype) {
  const CaseProgram p = case_program({op, "", in, attr}, dtype);
  std::string sizes;
  for (const Dims& dims : in) sizes += to_string(dims);
  expect_agrees(p, *vulkan(), std::string(info(op).name) + " of " + sizes + " in " + std::string(name(dtype)));
}

// Around the borders of tiles (16, 32, 64) and of slices of k, where other devices' products have gone wrong.
TEST_F(VulkanDevice, multiplies_matrices_of_all_sizes) {
  for (const DType dtype : {DType::f32, DType::f16}) {
    for (const int64_t n : {1, 7, 16, 33, 65})
      for (const int64_t m : {1, 6, 16, 31, 130})
        for (const int64_t k : {1, 15, 17, 256})
          for (const bool transposed : {false, true})
            expect_op(Op::matmul, {{n, k}, transposed ? Dims{m, k} : Dims{k, m}}, MatmulAttr{.transpose_b = transposed},
                      dtype);
    for (const int64_t k : {1, 17, 300})
      expect_op(Op::matmul_tn, {{k, 65}, {k, 33}}, MatmulAttr{.dtype = dtype}, dtype);
    expect_op(Op::batch_matmul, {{3, 17, 20}, {3, 20, 35}}, MatmulAttr{}, dtype);
  }
}

// llvmpipe ends loops after 65,535 turns without a word.
TEST_F(VulkanDevice, adds_long_sums_to_their_end) {
  expect_op(Op::matmul_tn, {{70'000, 33}, {70'000, 20}}, MatmulAttr{.dtype = DType::f32}, DType::f32);
  expect_op(Op::matmul_tn, {{70'000, 3}, {70'000, 2}}, MatmulAttr{.dtype = DType::f32}, DType::f32);
  expect_op(Op::matmul, {{2, 140'000}, {140'000, 3}}, MatmulAttr{}, DType::f64);
  const CaseProgram p = case_program({Op::softmax, "", {{2, 30'000}}, SoftmaxAttr{.axis = 1}}, DType::f32);
  const auto states = *vulkan()->prepare_states(*p.program, nullptr, 1, nullptr);
  auto executable = vulkan()->compile(p.program, states);
  ASSERT_TRUE(executable);
  const Status ran = (*executable)->run({});
  if (ran) return expect_agrees(p, *vulkan(), "softmax of 30,000");
  EXPECT_EQ(ran.error().code, "HW-R002") << "refused, not cut short";
}

// More columns than a launch has workgroups of 64 items: 1,152 · 4,900.
TEST_F(VulkanDevice, convolves_pictures_with_many_columns) {
  ConvAttr attr;
  attr.pad_begin[0] = attr.pad_begin[1] = attr.pad_end[0] = attr.pad_end[1] = 1;
  expect_op(Op::conv2d, {{1, 128, 70, 70}, {8, 128, 3, 3}}, attr, DType::f32);
}

TEST_F(VulkanDevice, makes_the_fields_of_ref) {
  expect_fields_of_ref([] { return vulkan(); });
}

TEST_F(VulkanDevice, rounds_a_table_gradient_to_f16_and_counts_what_it_loses) {
  expect_losses_of_the_cpu(vulkan());
}

TEST_F(VulkanDevice, is_sent_the_rows_of_a_large_data_set) {
  const auto driver = vulkan::make_driver(0, 10);
  ASSERT_TRUE(driver) << driver.error().text();
  expect_rows_of_the_cpu(gpu::make_device_on(*driver));
}

TEST_F(VulkanDevice, refuses_what_cannot_fit_and_stays_usable) {
  const auto driver = *vulkan::make_driver(0, ~size_t{0});
  for (const size_t bytes : {size_t{1} << 40, size_t{1} << 60}) {
    const auto memory = driver->allocate(bytes);
    ASSERT_FALSE(memory);
    EXPECT_EQ(memory.error().code, "HW-R001");
    EXPECT_EQ(memory.error().where, "vulkan:0");
  }
  const auto memory = driver->allocate(512);
  ASSERT_TRUE(memory);
  EXPECT_TRUE(driver->clear(*memory, 512));
  EXPECT_TRUE(driver->wait());
}

TEST_F(VulkanDevice, is_listed_behind_the_others_by_its_name) {
  const std::vector<std::string> ids = device_ids();
  EXPECT_EQ(ids.front(), "cpu");
  EXPECT_TRUE(has_device("vulkan:0"));
  EXPECT_FALSE(has_device("vulkan:99"));
  EXPECT_NE(vulkan()->description().find((*vulkan::adapters())[0].name), std::string::npos);
  EXPECT_EQ(default_device_id(), "cpu");
}

TEST_F(VulkanDevice, times_what_it_runs) {
  const bench::NeuralTexture t = small_texture(256, DType::f32);
  auto e = *vulkan()->compile(t.program, *vulkan()->prepare_states(*t.program, nullptr, 3, nullptr));
  for (int i = 0; i < 6; ++i) ASSERT_TRUE(e->run(first_step().step));
  double total = 0;
  for (const double seconds : e->timings()) {
    EXPECT_GE(seconds, 0);
    total += seconds;
  }
  EXPECT_GT(total, 0);
}

TEST_F(VulkanDevice, counts_what_a_run_asks_for) {
  Program p;
  OpBuilder b(p);
  const Val x = b.input("x", DType::f32, {100});
  p.outputs.push_back({"y", b.relu(b.add(x, x)).id});
  const auto program = std::make_shared<const Program>(std::move(p));
  auto e = *vulkan()->compile(program, *vulkan()->prepare_states(*program, nullptr, 1, nullptr));
  EXPECT_FALSE(e->device_work()) << "nothing is recorded yet";
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(e->run({}));  // two that are timed, then the recording
  const auto work = e->device_work();
  ASSERT_TRUE(work);
  EXPECT_EQ(work->dispatches, 2u);
  EXPECT_EQ(work->copies, 0u);
  EXPECT_EQ(work->barriers, 2u);
}

// Uploads beyond what may be in flight, which wait for those before.
TEST_F(VulkanDevice, takes_tensors_larger_than_its_staging_memory) {
  const auto driver = *vulkan::make_driver(0, ~size_t{0});
  std::vector<uint32_t> numbers(size_t{48} << 20);  // 192 MiB
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<uint32_t>(i * 2654435761u);
  const size_t bytes = numbers.size() * sizeof(uint32_t);
  const auto memory = driver->allocate(bytes), other = driver->allocate(bytes);
  ASSERT_TRUE(memory && other);
  ASSERT_TRUE(driver->upload(*memory, numbers.data(), bytes));
  ASSERT_TRUE(driver->copy(*other, *memory, bytes));
  std::vector<uint32_t> back(numbers.size());
  ASSERT_TRUE(driver->download(back.data(), *other, bytes));
  EXPECT_TRUE(back == numbers);
  driver->release(*memory);
  driver->release(*other);
}

// For vulkan_validation_test.py.
TEST_F(VulkanDevice, DISABLED_copies_beyond_the_end) {
  const auto driver = *vulkan::make_driver(0, ~size_t{0});
  const auto from = driver->allocate(512), to = driver->allocate(512);
  ASSERT_TRUE(from && to);
  ASSERT_TRUE(driver->copy(*to, *from, 513));
}

/// For vulkan_validation_test: a kernel that reads and writes more than there is.
TEST_F(VulkanDevice, DISABLED_computes_beyond_the_end) {
  const auto driver = *vulkan::make_driver(0, ~size_t{0});
  const auto from = driver->allocate(512), to = driver->allocate(512);
  ASSERT_TRUE(from && to);
  const gpu::Unary<float> kernel{UnaryFn::abs, {DType::f32, *from}, {DType::f32, *to}, 0, 0};
  ASSERT_TRUE(vulkan::VulkanLauncher::launch(*driver, 129, kernel));
  ASSERT_TRUE(driver->wait());
}

}  // namespace
}  // namespace hw::test::vulkan_device_test
