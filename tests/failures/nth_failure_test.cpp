// The n-th call of each kind fails, in all operations: a clear error, or none and all is done; never a crash, a half of
// anything, a lost descriptor. With HALFWIRE_ALL_FAILURES=1 for every n, else for some, evenly spread.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "engine/io/file/atomic_file.h"
#include "tests/engine/io_temp.h"
#include "tests/failures/failing_calls.h"
#include "tests/failures/operations.h"

namespace hw::test {
namespace {

constexpr uint64_t kNever = ~uint64_t{0} >> 1;
constexpr uint64_t kTried = 24;     // failures of one kind, where not all are tried
constexpr uint64_t kTogether = 40;  // allocations that fail one after the other, as when memory is really gone

char g_doing[200];  // for a crash

void say_what_crashed(int signal) {
  const auto ignored = ::write(2, g_doing, sizeof g_doing);
  (void)ignored;
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

size_t open_files() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<size_t>(std::distance(all, {}));
}

void expect_clear(const Error& error) {
  EXPECT_TRUE(error.code.starts_with("HW-")) << error.text();
  EXPECT_GE(error.reason.size(), 10u) << error.text();
  EXPECT_EQ(error.reason.find("Success"), std::string::npos) << error.text();
  EXPECT_FALSE(error.remedy.empty()) << error.text();
}

struct Seen {
  uint64_t calls = 0;
  bool reported = false;
};

enum class Descriptors {
  are_closed,
  may_stay,  // as the socket to the process that reads pictures, which is started once
};

/// Tries it once while calls fail. In a place of its own, looked at afterwards.
Seen attempt(const Operation& operation, Call call, uint64_t first, uint64_t count,
             Descriptors descriptors = Descriptors::are_closed) {
  std::snprintf(g_doing, sizeof g_doing, "while %s: %s %llu to %llu failed\n", operation.name.c_str(), name(call),
                static_cast<unsigned long long>(first), static_cast<unsigned long long>(first + count - 1));
  SCOPED_TRACE(g_doing);
  const TempFolder folder;
  const size_t before = open_files();
  Seen seen;
  {
    const auto trial = operation.make(folder.path());
    trial->prepare();
    if (testing::Test::HasFatalFailure()) return seen;
    Status status = ok();
    {
      std::optional<SparedMemory> spared;
      if (trial->spares_caller()) spared.emplace();
      const FailingCalls failing(call, first, count);
      status = trial->run();
      seen.calls = failing.seen();
    }
    seen.reported = !status;
    if (!status) expect_clear(status.error());
    if (is_harmless(call)) {
      EXPECT_TRUE(status) << status.error().text();
    }
    trial->check(status);
  }
  if (descriptors == Descriptors::are_closed) {
    EXPECT_EQ(open_files(), before) << "files are still open";
  }
  return seen;
}

using Case = std::tuple<size_t, Call>;

class NthFailure : public testing::TestWithParam<Case> {};

TEST_P(NthFailure, IsAClearErrorAndAllIsWhole) {
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS}) std::signal(signal, say_what_crashed);
  const auto& [index, call] = GetParam();
  const Operation& operation = operations()[index];
  const bool all = std::getenv("HALFWIRE_ALL_FAILURES") != nullptr;
  (void)attempt(operation, call, kNever, 1, Descriptors::may_stay);  // what is made once in a program is there
  const Seen whole = attempt(operation, call, kNever, 1);
  ASSERT_FALSE(whole.reported);
  const uint64_t stride = all ? 1 : std::max<uint64_t>(1, whole.calls / kTried);
  uint64_t tried = 0, reported = 0;
  const bool memory = call == Call::memory || call == Call::c_memory;
  for (uint64_t first = 1; first <= whole.calls; first += stride)
    for (const uint64_t count : {uint64_t{1}, memory ? kTogether : kNever}) {
      if (is_harmless(call) && count == kNever) continue;  // nothing is ever done
      reported += attempt(operation, call, first, count).reported;
      ++tried;
      if (HasFailure()) return;
    }
  std::printf("%-20s %-10s %6llu calls, %6llu failures tried, %6llu reported\n", operation.name.c_str(), name(call),
              static_cast<unsigned long long>(whole.calls), static_cast<unsigned long long>(tried),
              static_cast<unsigned long long>(reported));
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (size_t k = 0; k < operations().size(); ++k)
    for (const Call call : calls()) all.emplace_back(k, call);
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, NthFailure, testing::ValuesIn(cases()), [](const testing::TestParamInfo<Case>& one) {
  return operations()[std::get<0>(one.param)].name + "_" + name(std::get<1>(one.param));
});

TEST(Saving, SyncsTheFileBeforeItTakesTheOldOnesPlaceAndTheFolderAfterwards) {
  const TempFolder folder;
  const CallLog log;
  ASSERT_TRUE(write_file_atomically(folder / "g", "text"));
  const std::vector<std::string> lines = log.lines();
  ASSERT_EQ(lines.size(), 4u);
  const std::string temporary = lines[0].substr(std::string("write ").size());
  EXPECT_TRUE(temporary.starts_with(".g.")) << temporary;
  EXPECT_EQ(lines[1], "sync " + temporary);
  EXPECT_EQ(lines[2], "rename " + temporary + " g");
  EXPECT_EQ(lines[3], "sync-folder " + folder.path().filename().string());
}

}  // namespace
}  // namespace hw::test
