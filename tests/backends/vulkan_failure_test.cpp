// A Vulkan device that is lost, or lacks memory, at any submit, wait or allocation: what is said, what stays usable,
// and that a device opened anew gives the right bits.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/backend/gpu/gpu_executable.h"
#include "engine/backend/vulkan/make_driver.h"
#include "engine/devices/devices.h"
#include "op_cases.h"
#include "vulkan_faults.h"

namespace hw::test::vulkan_failure_test {
namespace {

constexpr int64_t kSize = 1000;
constexpr int kOps = 200;  // more than a batch of commands has
constexpr int kRuns = 5;   // two are launched and timed, the third is recorded, all from there on are replayed

/// x + w + w …: sums of f32, which every device rounds alike.
std::shared_ptr<const Program> sums(int ops) {
  auto program = std::make_shared<Program>();
  OpBuilder b(*program);
  Val y = b.input("x", DType::f32, {kSize});
  b.set_node("layer");
  const Val w = b.param("w", DType::f32, {kSize}, {Init::Kind::uniform, 1, 7});
  for (int i = 0; i < ops; ++i) {
    b.set_node("node" + std::to_string(i));
    y = b.add(y, w);
  }
  program->outputs.push_back({"y", y.id});
  return program;
}

Tensor input(int run) {
  return Tensor::from_f64(DType::f32, {kSize}, numbers(kSize, -1, 1, static_cast<uint32_t>(run)));
}

struct Compiled {
  std::shared_ptr<const Program> program;
  std::shared_ptr<States> states;
  std::unique_ptr<Executable> executable;

  static Result<Compiled> make(Device& device, int ops) {
    Compiled c{.program = sums(ops), .states = nullptr, .executable = nullptr};
    HW_TRY(c.states, device.prepare_states(*c.program, nullptr, 1, nullptr));
    HW_TRY(c.executable, device.compile(c.program, c.states));
    return c;
  }
  ValueId y() const { return program->outputs[0].value; }
  Status run(int number) {
    HW_CHECK(executable->write_input("x", input(number)));
    return executable->run({});
  }
};

/// y of each of kRuns, queued and taken in one go, and that of the last once more, read by itself.
Result<std::vector<Tensor>> all_values(Device& device) {
  HW_TRY(Compiled c, Compiled::make(device, kOps));
  for (int i = 0; i < kRuns; ++i) {
    HW_CHECK(c.run(i));
    HW_CHECK(c.executable->queue_readback(c.y()));
  }
  HW_TRY(std::vector<Tensor> values, c.executable->take_readbacks());
  HW_TRY(Tensor last, c.executable->read(c.y()));
  values.push_back(std::move(last));
  return values;
}

std::shared_ptr<Device> opened() {
  auto made = make_device("vulkan:0");
  EXPECT_TRUE(made) << (made ? "" : made.error().text());
  return made ? *made : nullptr;
}

void expect_right(const Result<std::vector<Tensor>>& got) {
  static const std::vector<Tensor> wanted = *all_values(**make_device("cpu"));
  ASSERT_TRUE(got) << got.error().text();
  ASSERT_EQ(got->size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_TRUE(same_bits((*got)[i], wanted[i])) << i;
}

void expect_lost(const Status& status, const std::string& call) {
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, "HW-R005");
  EXPECT_EQ(status.error().reason, call + ": VK_ERROR_DEVICE_LOST.");
  EXPECT_NE(status.error().where, "");
  EXPECT_NE(status.error().remedy, "");
}

void expect_lost_before(const Status& status, const std::string& call) {
  expect_lost(status, "The GPU failed before: " + call);
}

template <class T>
Status status_of(const Result<T>& result) {
  return result ? ok() : Status(result.error());
}

/// Every object of a lost device is freed.
class VulkanFailure : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(opened());
    blocks_ = vulkan_blocks();
  }
  void TearDown() override {
    EXPECT_EQ(lost_devices(), 0u);
    EXPECT_EQ(vulkan_blocks(), blocks_);
  }

 private:
  size_t blocks_ = 0;
};

struct LossCase {
  FaultKind kind;
  VulkanCall call;
  const char *name, *said;
};

class VulkanLoss : public VulkanFailure, public testing::WithParamInterface<LossCase> {};

TEST_P(VulkanLoss, at_any_call_ends_in_an_error_and_a_device_opened_anew_gives_the_right_bits) {
  const LossCase& c = GetParam();
  size_t refused = 0;
  for (size_t number = 0;; number = number < 2 ? number + 1 : 2 * number) {
    SCOPED_TRACE(std::string(c.name) + " " + std::to_string(number));
    auto device = opened();
    PlantedFault fault(c.kind, c.call, number);
    const auto values = all_values(*device);
    if (!fault.came()) {
      expect_right(values);
      break;
    }
    EXPECT_EQ(lost_devices(), 1u);
    if (values) {
      expect_right(values);  // lost when all was read
    } else {
      ++refused;
      EXPECT_EQ(values.error().code, "HW-R005");
      EXPECT_EQ(values.error().reason, c.said + std::string(": VK_ERROR_DEVICE_LOST."));
    }
    const auto again = all_values(*device);
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().code, "HW-R005");
    EXPECT_TRUE(again.error().reason.ends_with(c.said + std::string(": VK_ERROR_DEVICE_LOST.")))
        << again.error().text();
    expect_right(all_values(*opened()));
    device.reset();
    EXPECT_EQ(lost_devices(), 0u);
  }
  EXPECT_GE(refused, 5u);
}

INSTANTIATE_TEST_SUITE_P(
    Calls, VulkanLoss,
    testing::Values(LossCase{FaultKind::lost, VulkanCall::submit, "submit", "vkQueueSubmit"},
                    LossCase{FaultKind::lost, VulkanCall::wait_semaphores, "wait", "vkWaitSemaphores"},
                    LossCase{FaultKind::lost, VulkanCall::counter_value, "counter", "vkGetSemaphoreCounterValue"},
                    LossCase{FaultKind::lost_in_silence, VulkanCall::wait_semaphores, "silent_wait",
                             "vkWaitSemaphores"}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST_F(VulkanFailure, at_the_first_submit_names_the_call_and_stays) {
  const auto device = opened();
  auto c = Compiled::make(*device, 3);
  ASSERT_TRUE(c) << c.error().text();
  const PlantedFault fault(FaultKind::lost, VulkanCall::submit, 0);
  expect_lost(c->run(0), "vkQueueSubmit");
  EXPECT_TRUE(fault.came());
  expect_lost_before(c->run(1), "vkQueueSubmit");
  expect_lost_before(c->executable->run({}), "vkQueueSubmit");
  expect_lost_before(c->states->write("layer.w", Tensor::zeros(DType::f32, {kSize})), "vkQueueSubmit");
  expect_lost_before(status_of(device->compile(c->program, c->states)), "vkQueueSubmit");
  expect_lost_before(status_of(device->prepare_states(*c->program, nullptr, 1, nullptr)), "vkQueueSubmit");
  EXPECT_FALSE(device->memory("vulkan:0", nullptr));
}

TEST_F(VulkanFailure, in_the_middle_of_a_launched_step_names_the_node_and_leaves_what_was_read) {
  auto device = opened();
  auto c = Compiled::make(*device, kOps);
  ASSERT_TRUE(c) << c.error().text();
  ASSERT_TRUE(c->run(0));
  const auto y = c->executable->read(c->y());
  ASSERT_TRUE(y) << y.error().text();
  const Tensor w = c->states->read("layer.w");
  for (const double v : w.to_f64()) ASSERT_FALSE(std::isnan(v));
  {
    const PlantedFault fault(FaultKind::lost, VulkanCall::submit, 1);
    const Status failed = c->run(1);
    expect_lost(failed, "vkQueueSubmit");
    ASSERT_FALSE(failed);
    const std::string& where = failed.error().where;
    ASSERT_TRUE(where.starts_with("node")) << where;
    const int node = std::stoi(where.substr(4));
    EXPECT_GT(node, 0);
    EXPECT_LT(node, kOps - 1);
  }
  expect_lost_before(status_of(c->executable->read(c->y())), "vkQueueSubmit");
  for (const double v : c->states->read("layer.w").to_f64()) EXPECT_TRUE(std::isnan(v));

  // Beside the lost one, and behind it.
  const auto expect_same = [&] {
    const auto other = opened();
    auto anew = Compiled::make(*other, kOps);
    ASSERT_TRUE(anew) << anew.error().text();
    ASSERT_TRUE(anew->run(0));
    EXPECT_TRUE(same_bits(*anew->executable->read(anew->y()), *y));
    EXPECT_TRUE(same_bits(anew->states->read("layer.w"), w));
  };
  expect_same();
  c = Error{};
  device.reset();
  EXPECT_EQ(lost_devices(), 0u);
  expect_same();
}

// The first submit is that of the step's numbers; those behind it are the recording's.
TEST_F(VulkanFailure, in_a_replay_ends_the_run) {
  for (const size_t number : {size_t{0}, size_t{1}, size_t{2}}) {
    const auto device = opened();
    auto c = Compiled::make(*device, kOps);
    ASSERT_TRUE(c) << c.error().text();
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(c->run(i));
    ASSERT_TRUE(c->executable->device_work()) << "recorded";
    const PlantedFault fault(FaultKind::lost, VulkanCall::submit, number);
    expect_lost(c->run(3), "vkQueueSubmit");
    EXPECT_TRUE(fault.came());
    expect_lost_before(c->run(4), "vkQueueSubmit");
    expect_lost_before(status_of(c->executable->take_readbacks()), "vkQueueSubmit");
  }
}

TEST_F(VulkanFailure, while_replays_are_under_way_is_said_when_the_host_waits) {
  const auto device = opened();
  auto c = Compiled::make(*device, kOps);
  ASSERT_TRUE(c) << c.error().text();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(c->run(i));
  const PlantedFault fault(FaultKind::lost, VulkanCall::wait_semaphores, 0);
  Status status = ok();
  size_t runs = 0;
  for (; status && runs < 20; ++runs) status = c->run(3);
  expect_lost(status, "vkWaitSemaphores");
  EXPECT_LE(runs, gpu::GpuExecutable::kAhead + 1);
  EXPECT_GE(c->executable->timings()[0], 0);
  c->executable->reset_timings();
  expect_lost_before(c->run(3), "vkWaitSemaphores");
}

TEST_F(VulkanFailure, in_a_download_gives_no_tensor) {
  for (const FaultKind kind : {FaultKind::lost, FaultKind::lost_in_silence}) {
    const auto device = opened();
    auto c = Compiled::make(*device, 3);
    ASSERT_TRUE(c) << c.error().text();
    ASSERT_TRUE(c->run(0));
    const PlantedFault fault(kind, VulkanCall::wait_semaphores, 0);
    expect_lost(status_of(c->executable->read(c->y())), "vkWaitSemaphores");
    expect_lost_before(status_of(c->executable->read(c->y())), "vkWaitSemaphores");
  }
}

TEST_F(VulkanFailure, between_the_parts_of_a_large_download_ends_it) {
  constexpr size_t kBytes = size_t{40} << 20;  // three parts
  std::vector<std::byte> bytes(kBytes);
  for (size_t number = 0; number < 3; ++number) {
    const auto driver = vulkan::make_driver(0, ~size_t{0});
    ASSERT_TRUE(driver) << driver.error().text();
    const auto memory = (*driver)->allocate(kBytes);
    ASSERT_TRUE(memory) << memory.error().text();
    ASSERT_TRUE((*driver)->clear(*memory, kBytes));
    const PlantedFault fault(FaultKind::lost, VulkanCall::wait_semaphores, number);
    for (int again = 0; again < 2; ++again)
      expect_lost((*driver)->download(bytes.data(), *memory, kBytes), "vkWaitSemaphores");
    EXPECT_TRUE(fault.came());
    (*driver)->release(*memory);
  }
}

TEST_F(VulkanFailure, of_any_allocation_is_a_lack_of_memory_and_the_device_stays_usable) {
  size_t refused = 0;
  for (size_t number = 0;; ++number) {
    SCOPED_TRACE(number);
    const auto device = opened();
    {
      const PlantedFault fault(FaultKind::no_memory, VulkanCall::allocate, number);
      const auto values = all_values(*device);
      if (!fault.came()) {
        expect_right(values);
        break;
      }
      if (values) {
        expect_right(values);  // what could not be recorded was launched
      } else {
        ++refused;
        EXPECT_EQ(values.error().code, "HW-R001") << values.error().text();
        const std::string& reason = values.error().reason;
        EXPECT_TRUE(reason.starts_with("There is no memory on vulkan:0 for ") ||
                    reason == "vkAllocateMemory: VK_ERROR_OUT_OF_DEVICE_MEMORY.")
            << reason;
        EXPECT_NE(values.error().remedy, "");
      }
    }
    EXPECT_TRUE(device->memory("vulkan:0", nullptr));
    expect_right(all_values(*device));
  }
  EXPECT_GE(refused, 5u);
}

TEST_F(VulkanFailure, to_allocate_leaves_a_smaller_program_running) {
  const auto device = opened();
  auto small = Compiled::make(*device, 1);
  ASSERT_TRUE(small) << small.error().text();
  ASSERT_TRUE(small->run(0));
  ASSERT_TRUE(small->executable->read(small->y()));
  {
    const PlantedFault fault(FaultKind::no_memory, VulkanCall::allocate, 0);
    const auto large = Compiled::make(*device, kOps);
    ASSERT_FALSE(large);
    EXPECT_TRUE(fault.came());
    EXPECT_EQ(large.error().code, "HW-R001");
    EXPECT_TRUE(large.error().reason.starts_with("There is no memory on vulkan:0 for ")) << large.error().text();
    auto cpu = Compiled::make(**make_device("cpu"), 1);
    ASSERT_TRUE(cpu);
    for (int i = 1; i < kRuns; ++i) {
      const Status ran = small->run(i);
      ASSERT_TRUE(ran) << ran.error().text();
      ASSERT_TRUE(cpu->run(i));
      const auto y = small->executable->read(small->y());
      ASSERT_TRUE(y) << y.error().text();
      EXPECT_TRUE(same_bits(*y, *cpu->executable->read(cpu->y()))) << i;
    }
  }
  expect_right(all_values(*device));
}

}  // namespace
}  // namespace hw::test::vulkan_failure_test
