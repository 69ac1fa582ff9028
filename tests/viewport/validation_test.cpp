// Runs every test of this program under the validation layer and fails when its log is not empty.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "app/viewport/vulkan_context.h"
#include "tests/viewport/planted_violation.h"
#include "tests/viewport/validation_log.h"

namespace hw::viewport {
namespace {

std::filesystem::path log_path(const std::string& name) {
  return std::filesystem::temp_directory_path() / ("halfwire-" + name + "-" + std::to_string(getpid()) + ".log");
}

/// Starts this program again with `argument` and its own log; returns what the layer wrote.
std::optional<std::string> log_of_child(const std::string& argument) {
  const std::filesystem::path log = log_path(argument);
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  const pid_t child = fork();
  if (child == 0) {
    setenv("HALFWIRE_VULKAN_LOG", log.c_str(), 1);
    execl(program.c_str(), program.c_str(), argument.c_str(), nullptr);
    _exit(127);
  }
  int state = 0;
  waitpid(child, &state, 0);
  EXPECT_TRUE(WIFEXITED(state) && WEXITSTATUS(state) == 0) << argument;
  auto text = test::read_validation_log(log);
  std::filesystem::remove(log);
  std::filesystem::remove(log.string() + ".settings.txt");
  return text;
}

TEST(Validation, SeesAPlantedMistake) {
  const auto log = log_of_child("--plant-core");
  ASSERT_TRUE(log) << test::kNoLog;
  EXPECT_NE(log->find("VUID-VkBufferCreateInfo-size-00912"), std::string::npos) << *log;
}

TEST(Validation, SeesAPlantedHazard) {
  const auto log = log_of_child("--plant-hazard");
  ASSERT_TRUE(log) << test::kNoLog;
  EXPECT_NE(log->find("SYNC-HAZARD-WRITE-AFTER-WRITE"), std::string::npos) << *log;
}

TEST(Validation, AMissingLogIsNoCleanRun) {
  EXPECT_FALSE(test::read_validation_log("/nonexistent/log"));
}

int plant(const std::string& what) {
  auto context = VulkanContext::create();
  if (!context) return 2;
  if (what == "--plant-core") {
    test::plant_core_violation((*context)->device().device);
    return 0;
  }
  return test::plant_hazard((*context)->device()) ? 0 : 3;
}

}  // namespace
}  // namespace hw::viewport

int main(int argc, char** argv) {
  using namespace hw::viewport;
  if (argc > 1 && std::string(argv[1]).starts_with("--plant")) return plant(argv[1]);
  testing::InitGoogleTest(&argc, argv);
  if (testing::GTEST_FLAG(list_tests)) return RUN_ALL_TESTS();
  const std::filesystem::path log = log_path("viewport-test");
  setenv("HALFWIRE_VULKAN_LOG", log.c_str(), 1);
  if (!VulkanContext::create()) {  // makes sure that the layer starts, whatever --gtest_filter leaves over
    std::cerr << "No Vulkan device.\n";
    return 1;
  }
  int failed = RUN_ALL_TESTS();
  const auto found = test::read_validation_log(log);
  if (!found || !found->empty()) {
    std::cerr << "Vulkan validation: " << found.value_or(test::kNoLog) << "\n";
    failed = 1;
  }
  std::filesystem::remove(log);
  std::filesystem::remove(log.string() + ".settings.txt");
  return failed;
}
