// The process dies, as by kill -9, at each change that an operation makes to files: what is on disk is whole, and the
// operation can be done again.
#include "tests/failures/nth_crash.h"

#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <numeric>

#include "tests/engine/io_temp.h"
#include "tests/failures/failing_calls.h"
#include "tests/failures/operations.h"

namespace hw::test {

namespace {

constexpr int kKilledExit = 137;

}  // namespace

int die_in_operation(int argc, char** argv) {
  if (argc != 5) return 2;
  const Operation& operation = operations().at(std::stoul(argv[2]));
  const auto trial = operation.make(argv[3]);
  trial->prepare();
  die_at_change(std::stoull(argv[4]));
  const Status status = trial->run();
  return status ? 0 : 1;
}

namespace {

/// Does it in another process that dies at change `n`; its exit status.
int run_and_die(size_t index, const std::filesystem::path& folder, uint64_t n) {
  std::vector<std::string> words{"/proc/self/exe", kDie, std::to_string(index), folder.string(), std::to_string(n)};
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t pid = 0;
  if (::posix_spawn(&pid, argv[0], nullptr, nullptr, argv.data(), environ) != 0) return -1;
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

class NthCrash : public testing::TestWithParam<size_t> {};

TEST_P(NthCrash, LeavesWholeFilesAndTheOperationGoesAsEver) {
  const size_t index = GetParam();
  const Operation& operation = operations()[index];
  uint64_t died = 0;
  bool changes_files = false;
  for (uint64_t n = 1; !HasFailure(); ++n) {
    SCOPED_TRACE(operation.name + ", at change " + std::to_string(n));
    const TempFolder folder;
    const auto trial = operation.make(folder.path());
    trial->prepare();  // the other process does the same once more
    changes_files = trial->changes_files();
    const int exit = run_and_die(index, folder.path(), n);
    ASSERT_TRUE(exit == kKilledExit || exit == 0) << exit;
    trial->check_survival();
    const Status again = trial->run();
    EXPECT_TRUE(again) << again.error().text();
    if (exit == 0) break;
    ++died;
  }
  EXPECT_EQ(died > 0, changes_files);
  std::printf("%-20s died at %llu changes\n", operation.name.c_str(), static_cast<unsigned long long>(died));
}

std::vector<size_t> indices() {
  std::vector<size_t> all(operations().size());
  std::iota(all.begin(), all.end(), size_t{0});
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, NthCrash, testing::ValuesIn(indices()),
                         [](const testing::TestParamInfo<size_t>& one) { return operations()[one.param].name; });

}  // namespace
}  // namespace hw::test
