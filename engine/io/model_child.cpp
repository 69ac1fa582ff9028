// load_model: a child process that may crash, hang or grow, and what becomes of it.
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <new>
#include <thread>

#include "engine/core/codes.h"
#include "engine/io/child_process.h"
#include "engine/io/confine.h"
#include "engine/io/model_bytes.h"
#include "engine/io/model_import.h"

namespace hw {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using child::Ended;
using child::Fd;

constexpr rlim_t kMaxAddresses = 2'000'000'000;  // address space of the child, bytes
constexpr uint64_t kMaxResident = 800'000'000;   // watched from outside: below 1 GB with what a poll may miss
constexpr rlim_t kMaxSeconds = 121;              // the hard limit of processor time, a second above what is allowed

/// Bytes that a process has in memory; 0 when that cannot be known.
uint64_t resident_bytes(pid_t pid) {
  std::ifstream statm("/proc/" + std::to_string(pid) + "/statm");
  uint64_t all = 0, resident = 0;
  statm >> all >> resident;
  return statm ? resident * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

/// Waits for the child; ends it after `limit`, or when it holds more than kMaxResident.
Ended wait_for(pid_t pid, Clock::duration limit, int& status, rusage& usage) {
  const auto deadline = Clock::now() + limit;
  auto nap = std::chrono::microseconds(500);
  Ended ended = Ended::itself;
  while (true) {
    const pid_t got = ::wait4(pid, &status, ended == Ended::itself ? WNOHANG : 0, &usage);
    if (got == pid) return ended;
    if (got < 0 && errno != EINTR) return status = -1, ended;  // somebody else waited for it
    if (got != 0) continue;
    if (Clock::now() > deadline) ended = Ended::by_time;
    if (!child::kSanitizer && resident_bytes(pid) > kMaxResident) ended = Ended::by_memory;
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

/// The outcome in `memory` of a child that has ended.
Result<Model> outcome_of(const fs::path& file, int memory, int status, Ended ended, ImportCost& cost) {
  using End = ImportCost::End;
  const child::Fault fault = child::fault_of(file, "model", status, ended, kMaxResident);
  constexpr End ends[] = {End::read, End::crashed, End::out_of_time, End::out_of_memory};
  cost.end = ends[static_cast<size_t>(fault.kind)];
  if (fault.kind != child::Fault::Kind::none) return fault.error;
  const child::Outcome outcome(memory);
  if (outcome.failed()) {
    cost.end = End::out_of_memory;
    return Error{codes::out_of_memory, file.string(), "there is not enough memory for the model.",
                 "Close other programs."};
  }
  auto model = read_model(outcome.bytes(), file.string());
  cost.end = model ? End::read : End::refused;
  return model;
}

}  // namespace

Result<Model> load_model(const fs::path& file, const Reach& reach, ImportCost* cost) {
  ImportCost ignored;
  ImportCost& c = cost ? *cost : ignored;
  c = {};
  HW_TRY(const fs::path importer, child::find_program());
  const Fd memory(::memfd_create("halfwire-model", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (memory.get() < 0) return child::cannot_run(importer, file, errno);
  std::vector<std::string> words{importer.string(), "import-mesh", "--", file.string()};
  for (const fs::path& root : reach.roots()) words.push_back(root.string());
  const auto begin = Clock::now();
  pid_t pid = 0;
  if (const int error = child::start(std::move(words), memory.get(), pid))
    return child::cannot_run(importer, file, error);
  int status = 0;
  rusage usage{};
  const Ended ended = wait_for(
      pid, std::chrono::seconds(child::kWallFactor * child::seconds_for(child::size_or_none(file))), status, usage);
  c.wall_seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  c.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  c.peak_bytes = static_cast<uint64_t>(usage.ru_maxrss) * 1024;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) return child::cannot_run(importer, file, ENOEXEC);
  return outcome_of(file, memory.get(), status, ended, c);
}

int import_model_as_child(const fs::path& file, const Reach& reach, int fd, const ImportModel& import) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody would read the outcome
  ::close_range(static_cast<unsigned>(fd) + 1, ~0u, 0);
  uint64_t bytes = child::size_or_none(file);
  if (!child::kSanitizer) child::limit(RLIMIT_AS, kMaxAddresses, kMaxAddresses);
  child::limit(RLIMIT_CORE, 0, 0);
  child::limit(RLIMIT_FSIZE, child::kMaxOutcome, child::kMaxOutcome);
  const auto allow = [&] { child::limit(RLIMIT_CPU, child::seconds_for(bytes), kMaxSeconds); };
  allow();
  Reach readable = reach;
  readable.allow(file);
  readable.allow(file.has_parent_path() ? file.parent_path() : fs::path("."));
  confine(readable.roots());
  try {
    const auto model = import(file, reach, [&](uint64_t more) {
      bytes += more;
      allow();
    });
    return write_model(fd, model) ? 0 : child::kExitNotWritten;
  } catch (const std::bad_alloc&) {
    return child::kExitNoMemory;
  }
}

}  // namespace hw
