#include "engine/io/child/reading_child.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <new>
#include <thread>

#include "engine/core/descriptor.h"
#include "engine/io/child/confine.h"

namespace hw::child {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// Bytes that a process has in memory; 0 when that cannot be known.
uint64_t resident_bytes(pid_t pid) {
  std::ifstream statm("/proc/" + std::to_string(pid) + "/statm");
  uint64_t all = 0, resident = 0;
  statm >> all >> resident;
  return statm ? resident * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

/// Bytes in a memory file, which are in no process's resident ones.
uint64_t handed_over(int memory) {
  struct stat status {};
  return ::fstat(memory, &status) == 0 ? static_cast<uint64_t>(status.st_size) : 0;
}

/// Waits for the child; ends it after `limit`, or when it takes more memory than `reading` allows. A status of 0: its
/// outcome in `memory` fits, too.
Ended wait_for(pid_t pid, Clock::duration limit, const Reading& reading, int memory, int& status, rusage& usage) {
  const auto deadline = Clock::now() + limit;
  auto nap = std::chrono::microseconds(500);
  Ended ended = Ended::itself;
  while (true) {
    const pid_t got = ::wait4(pid, &status, ended == Ended::itself ? WNOHANG : 0, &usage);
    if (got == pid && ended == Ended::itself && status == 0 && handed_over(memory) > reading.free)
      return Ended::by_free_memory;
    if (got == pid) return ended;
    if (got < 0 && errno != EINTR) return status = -1, ended;  // another thread waited for it
    if (got != 0) continue;
    if (Clock::now() > deadline) ended = Ended::by_time;
    const uint64_t held = kSanitizer ? 0 : resident_bytes(pid);
    if (held + handed_over(memory) > reading.free) ended = Ended::by_free_memory;
    if (held > reading.most) ended = Ended::by_memory;
    if (ended != Ended::itself) {
      ::kill(pid, SIGKILL);
    } else {
      std::this_thread::sleep_for(nap);
      nap = std::min(nap * 2, std::chrono::microseconds(5'000));
    }
  }
}

double seconds(const timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
}

}  // namespace

Result<Ran> run(const Reading& reading) {
  const fs::path& file = reading.file;
  HW_TRY(const fs::path program, find_program());
  const Fd memory(::memfd_create("halfwire-outcome", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (memory.get() < 0) return cannot_run(program, file, errno);
  std::vector<std::string> words{program.string()};
  words.insert(words.end(), reading.words.begin(), reading.words.end());
  const auto begin = Clock::now();
  pid_t pid = 0;
  if (const int error = start(std::move(words), memory.get(), pid)) return cannot_run(program, file, error);
  int status = 0;
  rusage usage{};
  const auto limit = std::chrono::seconds(kWallFactor * seconds_for(size_or_none(file)));
  const Ended ended = wait_for(pid, limit, reading, memory.get(), status, usage);
  Ran ran;
  ran.wall_seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  ran.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  ran.peak_bytes = static_cast<uint64_t>(usage.ru_maxrss) * 1024;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) return cannot_run(program, file, ENOEXEC);
  const uint64_t most = ended == Ended::by_free_memory ? reading.free : reading.most;
  ran.fault = fault_of(file, reading.what, status, ended, most);
  if (ran.fault.kind != Fault::Kind::none) return ran;
  if (auto outcome = outcome_in(memory.get(), file))
    ran.outcome = std::move(*outcome);
  else
    ran.fault = {Fault::Kind::out_of_memory, outcome.error()};
  return ran;
}

int serve(const fs::path& file, const Limits& limits, std::span<const fs::path> readable,
          const std::function<bool(const WillRead&)>& work) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // there is no reader of the outcome any more
  ::close_range(static_cast<unsigned>(kFd) + 1, ~0u, 0);
  uint64_t bytes = size_or_none(file);
  if (!kSanitizer) limit(RLIMIT_AS, limits.addresses, limits.addresses);
  limit(RLIMIT_CORE, 0, 0);
  limit(RLIMIT_FSIZE, limits.outcome, limits.outcome);
  // The hard limit lies a second above: the soft one signals the child, this one ends it.
  const auto allow = [&] { limit(RLIMIT_CPU, seconds_for(bytes), kMaxSeconds + 1); };
  allow();
  confine(readable);
  try {
    const bool written = work([&](uint64_t more) {
      bytes += more;
      allow();
    });
    return written ? 0 : kExitNotWritten;
  } catch (const std::bad_alloc&) {
    return kExitNoMemory;
  }
}

}  // namespace hw::child
