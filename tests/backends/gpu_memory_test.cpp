// Memory and failures of the cuda device, on a driver in host memory: the pool, what cannot fit, what stays usable.
#include <dlfcn.h>

#include <cmath>

#include "engine/backend/cuda/gpus.h"
#include "engine/backend/gpu/pool.h"
#include "engine/backend/value_probe.h"
#include "engine/devices/devices.h"
#include "host_gpu.h"
#include "op_cases.h"
#include "tests/bench/neural_texture.h"

namespace hw::test::gpu_memory_test {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

TEST(GpuPool, keeps_what_is_given_back_and_hands_it_out_again) {
  const auto driver = std::make_shared<HostDriver>();
  const auto pool = std::make_shared<gpu::Pool>(driver);
  const void* first = nullptr;
  {
    const auto buffer = *pool->take(1000);
    first = buffer.data();
    EXPECT_EQ(buffer.bytes(), 1024u);
    EXPECT_EQ(pool->kept_bytes(), 0u);
  }
  EXPECT_EQ(pool->kept_bytes(), 1024u);
  const auto again = *pool->take(900);
  EXPECT_EQ(again.data(), first);
  EXPECT_EQ(driver->allocations(), 1u);
  const auto large = *pool->take(3 * kMiB);
  EXPECT_EQ(large.bytes(), 4 * kMiB);
  EXPECT_EQ(driver->used(), 4 * kMiB + 1024);
}

TEST(GpuPool, leaves_large_blocks_for_large_needs) {
  const auto driver = std::make_shared<HostDriver>();
  const auto pool = std::make_shared<gpu::Pool>(driver);
  { const auto large = *pool->take(64 * kMiB); }
  const auto small = *pool->take(kMiB);
  EXPECT_EQ(pool->kept_bytes(), 64 * kMiB);
  EXPECT_EQ(driver->allocations(), 2u);
}

TEST(GpuPool, gives_kept_blocks_back_when_there_is_no_room) {
  const auto driver = std::make_shared<HostDriver>(HostDriver::Options{.capacity = 10 * kMiB});
  const auto pool = std::make_shared<gpu::Pool>(driver);
  { const auto one = *pool->take(4 * kMiB), two = *pool->take(4 * kMiB); }
  const auto most = pool->take(10 * kMiB);
  ASSERT_TRUE(most);
  EXPECT_EQ(pool->kept_bytes(), 0u);
  const auto more = pool->take(1);
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, "HW-R001");
}

TEST(GpuPool, gives_everything_back_at_the_end) {
  const auto driver = std::make_shared<HostDriver>();
  {
    const auto pool = std::make_shared<gpu::Pool>(driver);
    const auto buffer = *pool->take(5 * kMiB);
    { const auto other = *pool->take(100); }
  }
  EXPECT_EQ(driver->used(), 0u);
}

// A program of one node, which stretches x to `elements` and takes the relu.
std::shared_ptr<Program> stretched(int64_t elements) {
  auto program = std::make_shared<Program>();
  OpBuilder b(*program);
  b.set_node("huge");
  const Val w = b.param("w", DType::f32, {1}, {Init::Kind::constant, 2, 0});
  program->outputs.push_back({"y", b.relu(b.broadcast_to(w, {elements})).id});
  return program;
}

TEST(GpuMemory, what_cannot_fit_is_refused_with_node_and_size_and_states_stay_usable) {
  const auto driver = std::make_shared<HostDriver>(HostDriver::Options{.capacity = 16 * kMiB});
  const auto device = gpu::make_device_on(driver);
  const auto small = stretched(1000), huge = stretched(int64_t{1} << 23);
  const auto states = *device->prepare_states(*small, nullptr, 1, nullptr);
  const auto compiled = device->compile(huge, states);
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().code, "HW-R001");
  EXPECT_EQ(compiled.error().where, "huge");
  EXPECT_NE(compiled.error().reason.find("65 MiB"), std::string::npos) << compiled.error().reason;
  EXPECT_NE(compiled.error().remedy.find("cpu"), std::string::npos);
  EXPECT_EQ(states->read("huge.w").to_f64()[0], 2);
  auto executable = *device->compile(small, states);
  ASSERT_TRUE(executable->run({}));
  EXPECT_EQ(executable->read(small->outputs[0].value)->to_f64()[999], 2);
}

TEST(GpuMemory, states_that_cannot_fit_leave_the_old_ones) {
  const auto device = host_gpu({.capacity = 4 * kMiB});
  auto small = std::make_shared<Program>(), large = std::make_shared<Program>();
  for (const auto& [program, size] : {std::pair(small, int64_t{8}), {large, int64_t{1} << 21}}) {
    OpBuilder b(*program);
    b.set_node("layer");
    b.param("w", DType::f32, {size}, {Init::Kind::constant, 3, 0});
  }
  const auto states = *device->prepare_states(*small, nullptr, 1, nullptr);
  const auto failed = device->prepare_states(*large, states, 1, nullptr);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, "HW-R001");
  EXPECT_EQ(failed.error().where, "layer.w");
  EXPECT_EQ(states->read("layer.w").to_f64(), std::vector<double>(8, 3));
}

TEST(GpuMemory, is_reused_unless_values_are_kept) {
  bench::NeuralTextureOptions o;
  o.points = 3001;
  o.log2_table = 11;
  o.levels = 8;
  const bench::NeuralTexture t = bench::neural_texture(o, bench::textured_sphere(16, 24, 64));
  std::vector<ValueId> all;
  for (const Instr& i : t.program->instrs) all.insert(all.end(), i.out.begin(), i.out.end());
  const auto device = host_gpu();
  const auto states = *device->prepare_states(*t.program, nullptr, 3, nullptr);
  const auto lean = *device->compile(t.program, states), full = *device->compile(t.program, states, all);
  EXPECT_GT(lean->temp_bytes(), gpu::temp_bytes(*t.program, false).total());
  EXPECT_LT(lean->temp_bytes() + 2 * kMiB, full->temp_bytes());
}

TEST(GpuFailure, stays_with_its_node_and_reason_and_nothing_runs_after_it) {
  const auto driver = std::make_shared<HostDriver>();
  const auto device = gpu::make_device_on(driver);
  const auto program = stretched(100);
  const auto states = *device->prepare_states(*program, nullptr, 1, nullptr);
  auto executable = *device->compile(program, states);
  ASSERT_TRUE(executable->run({}));
  executable->reset_timings();  // the next run launches one by one
  driver->fail_after(2, Error{"HW-R005", "cuda", "cudaGetLastError(): an illegal memory access was encountered.", ""});
  const Status first = executable->run({});
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().code, "HW-R005");
  EXPECT_EQ(first.error().where, "huge");
  driver->fail_after(0, std::nullopt);  // the GPU itself would fail for ever; the device does not ask it again
  for (const Status& later : {executable->run({}), states->write("huge.w", Tensor::zeros(DType::f32, {1}))}) {
    ASSERT_FALSE(later);
    EXPECT_EQ(later.error().code, "HW-R005");
    EXPECT_EQ(later.error().where, "huge");
    EXPECT_NE(later.error().reason.find("illegal memory access"), std::string::npos);
  }
  EXPECT_FALSE(device->compile(program, states));
  EXPECT_FALSE(executable->read(program->outputs[0].value));
}

TEST(GpuFailure, of_a_replayed_step_names_the_device) {
  const auto driver = std::make_shared<HostDriver>();
  const auto device = gpu::make_device_on(driver);
  const auto program = stretched(100);
  auto executable = *device->compile(program, *device->prepare_states(*program, nullptr, 1, nullptr));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(executable->run({}));
  EXPECT_EQ(driver->replays, 1u);
  driver->fail_after(2, Error{"HW-R005", "cuda", "cudaGraphLaunch: unspecified launch failure.", ""});
  const Status status = executable->run({});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().where, "cuda");
  EXPECT_EQ(executable->run({}).error().where, "cuda");
}

TEST(GpuStates, of_another_device_are_refused) {
  const auto program = stretched(4);
  const auto cpu_states = *(*make_device("cpu"))->prepare_states(*program, nullptr, 1, nullptr);
  const auto compiled = host_gpu()->compile(program, cpu_states);
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().code, "HW-R002");
}

TEST(GpuStates, are_kept_made_anew_and_written_as_on_the_cpu) {
  const auto device = host_gpu();
  const auto make = [](DType dtype, int64_t size) {
    auto program = std::make_shared<Program>();
    OpBuilder b(*program);
    b.set_node("layer");
    b.param("w", dtype, {size}, {Init::Kind::uniform, 1, 7});
    b.state("m", DType::f32, {size});
    return program;
  };
  std::vector<std::string> made;
  const auto states = *device->prepare_states(*make(DType::f32, 5), nullptr, 1, &made);
  EXPECT_EQ(made, (std::vector<std::string>{"layer.w", "m"}));
  const Tensor trained = Tensor::from_f64(DType::f32, {5}, {{1, 2, 3, 4, 5.001}});
  ASSERT_TRUE(states->write("layer.w", trained));
  made.clear();
  ASSERT_TRUE(device->prepare_states(*make(DType::f32, 5), states, 2, &made));
  EXPECT_TRUE(made.empty());
  EXPECT_TRUE(same_bits(states->read("layer.w"), trained));
  const Status wrong = states->write("layer.w", Tensor::zeros(DType::f16, {5}));
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, "HW-F005");
  ASSERT_TRUE(device->prepare_states(*make(DType::f16, 5), states, 2, &made));
  EXPECT_EQ(states->bytes("layer.w"), 10u);
  EXPECT_EQ(states->bytes("m"), 20u);
}

TEST(GpuStates, give_samples_of_any_dtype_in_the_order_asked_for) {
  const int64_t places[] = {0, 3, 999, 4};
  for (DType dtype : {DType::f64, DType::f32, DType::bf16, DType::u8, DType::i64}) {
    auto program = std::make_shared<Program>();
    OpBuilder b(*program);
    b.set_node("layer");
    b.state("s", dtype, {10, 100});
    std::vector<double> v(1000);
    for (size_t i = 0; i < v.size(); ++i) v[i] = static_cast<double>(i % 101);
    const Tensor tensor = Tensor::from_f64(dtype, {10, 100}, v);
    const auto driver = std::make_shared<HostDriver>();
    const auto gpu = gpu::make_device_on(driver), cpu = *make_device("cpu");
    const auto own = *gpu->prepare_states(*program, nullptr, 1, nullptr);
    const auto other = *cpu->prepare_states(*program, nullptr, 1, nullptr);
    ASSERT_TRUE(own->write("s", tensor));
    ASSERT_TRUE(other->write("s", tensor));
    EXPECT_EQ(own->sample("s", places), (std::vector<double>{0, 3, 90, 4})) << name(dtype);
    EXPECT_EQ(own->sample("s", places), other->sample("s", places)) << name(dtype);
    EXPECT_TRUE(own->sample("s", {}).empty());
    driver->fail_after(0, Error{"HW-R005", "cuda", "gone", ""});
    for (const double lost : own->sample("s", places))
      EXPECT_TRUE(info(dtype).is_float ? std::isnan(lost) : lost == 0) << lost;
  }
}

TEST(GpuStates, of_a_failed_gpu_read_as_no_numbers) {
  for (const DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16, DType::f8e4m3, DType::f8e5m2}) {
    auto program = std::make_shared<Program>();
    OpBuilder b(*program);
    b.set_node("layer");
    b.param("w", dtype, {7}, {Init::Kind::constant, 1, 0});
    b.state("seen", DType::i64, {2});
    const auto driver = std::make_shared<HostDriver>();
    const auto states = *gpu::make_device_on(driver)->prepare_states(*program, nullptr, 1, nullptr);
    EXPECT_EQ(states->read("layer.w").to_f64(), std::vector<double>(7, 1));
    driver->fail_after(0, Error{"HW-R005", "cuda", "gone", ""});
    for (int again = 0; again < 2; ++again) {
      const Tensor w = states->read("layer.w");
      EXPECT_EQ(w.dtype(), dtype);
      EXPECT_EQ(w.dims(), Dims{7});
      for (const double v : w.to_f64()) EXPECT_TRUE(std::isnan(v)) << name(dtype) << " " << v;
      EXPECT_EQ(states->read("seen").to_f64(), std::vector<double>(2, 0));
      driver->fail_after(0, std::nullopt);
    }
  }
}

TEST(GpuExecutable, keeps_the_states_it_was_made_with) {
  const auto device = host_gpu();
  auto narrow = std::make_shared<Program>(), wide = std::make_shared<Program>();
  Val y;
  for (const auto& [program, size] : {std::pair(narrow, int64_t{3}), {wide, int64_t{4000}}}) {
    OpBuilder b(*program);
    b.set_node("layer");
    y = b.relu(b.param("w", DType::f32, {size}, {Init::Kind::constant, 3, 0}));
    program->outputs.push_back({"y", y.id});
  }
  const auto states = *device->prepare_states(*narrow, nullptr, 1, nullptr);
  auto before = *device->compile(narrow, states);
  ASSERT_TRUE(device->prepare_states(*wide, states, 1, nullptr));
  auto after = *device->compile(wide, states);
  ASSERT_TRUE(after->run({}));
  ASSERT_TRUE(before->run({}));
  EXPECT_EQ(before->read(y.id)->to_f64(), std::vector<double>(3, 3));
}

TEST(GpuExecutable, shows_its_values_to_a_probe) {
  auto program = std::make_shared<Program>();
  OpBuilder b(*program);
  b.set_node("layer");
  const Val x = b.input("x", DType::f32, {4});
  const Val y = b.scale(x, 2);
  program->outputs.push_back({"z", b.relu(y).id});
  const auto device = host_gpu();
  auto executable = *device->compile(program, *device->prepare_states(*program, nullptr, 1, nullptr));
  ASSERT_TRUE(executable->write_input("x", Tensor::from_f64(DType::f32, {4}, {{-1, 2, INFINITY, NAN}})));
  ValueProbe probe(*program, {y.id});
  probe.begin(1, 0);
  ASSERT_TRUE(executable->run({}, &probe));
  const ValueLook look = probe.look(0);
  EXPECT_EQ(look.count, 4);
  EXPECT_EQ(look.infs, 1);
  EXPECT_EQ(look.nans, 1);
  EXPECT_EQ(look.largest, 4);
}

TEST(GpuExecutable, shows_every_element_to_a_probe) {
  constexpr int64_t kCount = 100'003;
  auto program = std::make_shared<Program>();
  OpBuilder b(*program);
  b.set_node("layer");
  const Val w = b.param("w", DType::f16, {kCount}, {Init::Kind::constant, 1, 0});
  CastAttr cast;
  cast.dtype = DType::f16;
  cast.saturate = true;
  const Val y = b.cast(b.input("x", DType::f32, {kCount}), cast);
  program->outputs.push_back({"z", b.mul(y, w).id});
  std::vector<double> x(kCount, 1.0), master(kCount, 1.0);
  for (const size_t at : {5u, 4'097u, 50'001u, 99'999u, 100'002u}) x[at] = -1e6;
  for (const size_t at : {77u, 70'000u, 90'001u}) x[at] = 0;
  for (const size_t at : {78u, 70'001u}) x[at] = 1e-6;
  x[60'000] = 1e-9;
  master[99'000] = 1e-9;
  const auto device = host_gpu();
  const auto states = *device->prepare_states(*program, nullptr, 1, nullptr);
  const Param& param = program->params.front();
  ASSERT_TRUE(states->write((*program)[param.master].name, Tensor::from_f64(DType::f32, {kCount}, master)));
  auto executable = *device->compile(program, states);
  ASSERT_TRUE(executable->write_input("x", Tensor::from_f64(DType::f32, {kCount}, x)));
  ValueProbe probe(*program, {y.id, param.view});
  probe.begin(1, 0);
  ASSERT_TRUE(executable->run({}, &probe));
  const ValueLook look = probe.look(0);
  EXPECT_EQ(look.count, kCount);
  EXPECT_EQ(look.saturated, 5);
  EXPECT_EQ(look.zeros, 4);
  EXPECT_EQ(look.subnormal, 2);
  EXPECT_EQ(look.losses.rounded, 0) << "what a cast loses is not seen on a GPU, and is not shown as none";
  EXPECT_EQ(probe.look(1).losses.rounded, kCount) << "the rounded copy, beside its master";
  EXPECT_EQ(probe.look(1).count, kCount);
}

TEST(GpuExecutable, names_op_dtype_and_node_of_what_it_has_no_kernel_for) {
  auto program = std::make_shared<Program>();
  OpBuilder b(*program);
  b.set_node("mixer");
  const Val w = b.state("w", DType::f32, {4}), momentum = b.state("momentum", DType::f8e4m3, {4});
  b.emit(Op::sgd_update, {w, w, momentum, b.state("g", DType::f32, {4})}, UpdateAttr{});
  const auto device = host_gpu();
  const auto compiled = device->compile(program, *device->prepare_states(*program, nullptr, 1, nullptr));
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().code, "HW-R002");
  EXPECT_EQ(compiled.error().where, "mixer");
  EXPECT_NE(compiled.error().reason.find("sgd_update"), std::string::npos);
  EXPECT_NE(compiled.error().reason.find("f8e4m3"), std::string::npos);
}

TEST(GpuDevice, is_looked_for_once) {
  const auto& gpus = cuda::gpus();
  EXPECT_EQ(&gpus, &cuda::gpus());
  size_t offered = 0;
  for (const std::string& id : device_ids()) offered += id.starts_with("cuda:") ? 1 : 0;
  EXPECT_EQ(offered, gpus ? gpus->size() : 0);
  const auto missing = make_device("cuda:" + std::to_string(offered));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, gpus ? "HW-C001" : gpus.error().code);
}

TEST(GpuDevice, without_a_driver_says_that_there_is_none) {
  const auto& gpus = cuda::gpus();
  if (gpus) GTEST_SKIP() << "there is a GPU";
  EXPECT_EQ(gpus.error().code, "HW-R006");
  EXPECT_FALSE(gpus.error().remedy.empty());
  const bool says_none = gpus.error().reason == "No NVIDIA driver is installed.";
  if (gpus.error().reason != "This build has no CUDA.") {
    void* driver = ::dlopen("libcuda.so.1", RTLD_LAZY);
    EXPECT_EQ(says_none, driver == nullptr) << gpus.error().reason;
    if (driver) ::dlclose(driver);
  } else {
    EXPECT_FALSE(says_none);
  }
}

TEST(GpuDevice, that_is_not_there_says_why) {
  for (const char* id : {"cuda", "cuda:99"}) {
    const auto device = make_device(id);
    if (device) continue;  // there is a GPU
    EXPECT_TRUE(device.error().code == "HW-R006" || device.error().code == "HW-C001") << device.error().text();
    EXPECT_FALSE(device.error().remedy.empty());
  }
  const auto nonsense = make_device("cuda:x");
  ASSERT_FALSE(nonsense);
  EXPECT_EQ(nonsense.error().code, "HW-C001");
}

}  // namespace
}  // namespace hw::test::gpu_memory_test
