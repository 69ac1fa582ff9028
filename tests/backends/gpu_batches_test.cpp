// Data sets that stay in host memory: the batch of the next step is sent while a step runs, and is that of the cpu.
#include <algorithm>

#include "engine/devices/devices.h"
#include "host_gpu.h"
#include "host_rows.h"

namespace hw::test {
namespace {

using Events = std::vector<std::string>;

TEST(GpuBatches, are_those_of_the_cpu_at_every_step) {
  expect_rows_of_the_cpu(host_gpu({.resident = 10}));
}

TEST(GpuBatches, are_sent_while_the_step_before_runs) {
  const auto driver = std::make_shared<HostDriver>(HostDriver::Options{.resident = 10});
  Rows gpu(*gpu::make_device_on(driver), DType::u8, true);
  gpu.run(7, 0);
  EXPECT_EQ(driver->events, (Events{"send", "await", "send", "wait"}));
  gpu.run(7, 1);
  driver->events.clear();
  gpu.run(7, 2);
  EXPECT_EQ(driver->events, (Events{"await", "replay", "send"}));
}

TEST(GpuBatches, of_a_step_that_was_not_foreseen_are_sent_before_it) {
  const auto driver = std::make_shared<HostDriver>(HostDriver::Options{.resident = 10});
  Rows gpu(*gpu::make_device_on(driver), DType::u8, true), cpu(**make_device("cpu"), DType::u8, true);
  const std::pair<uint64_t, uint64_t> runs[] = {{7, 0}, {7, 1}, {7, 5}, {7, 6}, {8, 7}, {8, 8}, {7, 0}, {7, 0}};
  for (const auto& [seed, step] : runs) {
    gpu.run(seed, step);
    cpu.run(seed, step);
    EXPECT_TRUE(same_bits(*gpu.executable->read(gpu.out.x.id), *cpu.executable->read(cpu.out.x.id))) << step;
  }
  // Four that were not foreseen; one after each step but the last, whose next is still there.
  EXPECT_EQ(std::count(driver->events.begin(), driver->events.end(), "send"), 4 + 7);
}

TEST(GpuBatches, give_their_memory_back) {
  const auto driver = std::make_shared<HostDriver>(HostDriver::Options{.resident = 10});
  {
    Rows gpu(*gpu::make_device_on(driver), DType::u8, true);
    gpu.run(7, 0);
    EXPECT_EQ(driver->pinned_blocks(), 3u);  // two for batches, one for the step's numbers
  }
  EXPECT_EQ(driver->pinned_blocks(), 0u);
  EXPECT_EQ(driver->used(), 0u);
}

TEST(GpuBatches, of_a_data_set_that_fits_are_chosen_on_the_gpu) {
  const auto driver = std::make_shared<HostDriver>();
  Rows gpu(*gpu::make_device_on(driver), DType::u8, true);
  gpu.run(7, 0);
  EXPECT_EQ(driver->pinned_blocks(), 1u);
  EXPECT_EQ(driver->events, (Events{"wait"}));
}

TEST(GpuBatches, that_cannot_be_sent_end_the_run_with_the_drivers_words) {
  const auto driver = std::make_shared<HostDriver>(HostDriver::Options{.resident = 10});
  Rows gpu(*gpu::make_device_on(driver), DType::u8, true);
  gpu.run(7, 0);
  gpu.run(7, 1);
  driver->fail_after(3, Error{"HW-R005", "cuda", "cudaMemcpyAsync: an illegal memory access was encountered.", ""});
  const Status status = gpu.executable->run({});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, "HW-R005");
}

}  // namespace
}  // namespace hw::test
