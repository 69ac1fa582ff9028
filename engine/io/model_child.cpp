// load_model: a child process that may crash, hang or grow, and what becomes of it.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>
#include <thread>

#include "engine/core/codes.h"
#include "engine/io/model_bytes.h"
#include "engine/io/model_import.h"

extern char** environ;

namespace hw {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kChildFd = 3;                              // where the child finds the memory for its outcome
constexpr rlim_t kMaxAddresses = 2'000'000'000;          // address space of the child, bytes
constexpr uint64_t kMaxResident = 800'000'000;           // watched from outside: below 1 GB with what a poll may miss
constexpr rlim_t kMaxOutcome = 1'000'000'000;            // bytes that it may hand over
constexpr rlim_t kSeconds = 4;                           // of processor time
constexpr uint64_t kBytesPerSecond = uint64_t{8} << 20;  // one second more for so much of model and textures
constexpr rlim_t kMaxSeconds = 120;                      // in all
constexpr int kWallFactor = 6;                           // a child that waits rather than works is ended after so much
constexpr int kExitNoMemory = 40;                        // the child's own word for std::bad_alloc
constexpr int kExitNotWritten = 41;                      // and for an outcome that it may not write

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitizer = true;  // reserves terabytes of address space
#else
constexpr bool kSanitizer = false;
#endif

uint64_t size_of_file(const fs::path& file) {
  std::error_code ec;
  const uintmax_t size = fs::file_size(file, ec);
  return ec ? 0 : size;
}

rlim_t seconds_for(uint64_t bytes) {
  return std::min<rlim_t>(kMaxSeconds, kSeconds + static_cast<rlim_t>(bytes / kBytesPerSecond));
}

class Fd {
 public:
  explicit Fd(int fd) : fd_(fd) {}
  ~Fd() {
    if (fd_ >= 0) ::close(fd_);
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

/// Bytes of a file descriptor, read only; empty when there are none.
class Mapping {
 public:
  explicit Mapping(int fd) {
    struct stat status {};
    if (::fstat(fd, &status) != 0 || status.st_size <= 0) return;
    size_ = static_cast<size_t>(status.st_size);
    at_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0);
  }
  ~Mapping() {
    if (at_ != MAP_FAILED) ::munmap(at_, size_);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  /// Whether there are bytes, and the system maps none.
  bool failed() const { return size_ > 0 && at_ == MAP_FAILED; }
  std::string_view bytes() const {
    return at_ == MAP_FAILED ? std::string_view() : std::string_view(static_cast<const char*>(at_), size_);
  }

 private:
  void* at_ = MAP_FAILED;
  size_t size_ = 0;
};

Result<fs::path> find_importer() {
  const auto runs = [](const fs::path& file) { return ::access(file.c_str(), X_OK) == 0; };
  std::string searched;
  if (const char* named = std::getenv("HALFWIRE_IMPORTER")) {
    if (runs(named)) return fs::path(named);
    searched = named;
  } else {
    std::error_code ec;
    const fs::path folder = fs::read_symlink("/proc/self/exe", ec).parent_path();
    for (const fs::path& place : {folder, folder.parent_path()}) {
      if (runs(place / "halfwire-cli")) return place / "halfwire-cli";
      searched += (searched.empty() ? "" : ", ") + (place / "halfwire-cli").string();
    }
  }
  return Error{codes::importer_missing, "", "the program that reads models cannot be run; looked for " + searched + ".",
               "Install halfwire-cli beside Halfwire, or name it in HALFWIRE_IMPORTER."};
}

/// The child's standard streams are closed to it; `memory` becomes kChildFd. Returns an errno, 0: started.
int start(const fs::path& program, const fs::path& file, const Reach& reach, int memory, pid_t& pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&actions, memory, kChildFd);
  for (int fd = 0; fd < 3; ++fd)
    posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", fd ? O_WRONLY : O_RDONLY, 0);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<std::string> words{program.string(), "import-mesh", "--", file.string()};
  for (const fs::path& root : reach.roots()) words.push_back(root.string());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int failed = ::posix_spawn(&pid, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return failed;
}

/// Bytes that a process has in memory; 0 when that cannot be known.
uint64_t resident_bytes(pid_t pid) {
  std::ifstream statm("/proc/" + std::to_string(pid) + "/statm");
  uint64_t all = 0, resident = 0;
  statm >> all >> resident;
  return statm ? resident * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

enum class Ended { itself, by_time, by_memory };

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
    if (!kSanitizer && resident_bytes(pid) > kMaxResident) ended = Ended::by_memory;
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

Error costly(const fs::path& file, const std::string& reason) {
  return {codes::asset_costly, file.string(), reason,
          "The file may be damaged: export it again, as glTF or OBJ say, or make it smaller."};
}

/// The outcome in `memory` of a child that has ended.
Result<Model> outcome_of(const fs::path& file, int memory, int status, Ended ended, ImportCost& cost) {
  using End = ImportCost::End;
  if (ended == Ended::by_time || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)) {
    cost.end = End::out_of_time;
    const rlim_t limit = seconds_for(size_of_file(file));
    return costly(file, "reading the model was given up after " + std::to_string(limit) + " s of processor time, or " +
                            std::to_string(kWallFactor * limit) + " s of waiting for it.");
  }
  if (ended == Ended::by_memory || (WIFEXITED(status) && WEXITSTATUS(status) == kExitNoMemory)) {
    cost.end = End::out_of_memory;
    return costly(file, "reading the model takes more than " + std::to_string(kMaxResident / 1'000'000) + " MB.");
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == kExitNotWritten) {
    cost.end = End::out_of_memory;
    return costly(file, "the model is larger than a file or the memory may be here (see ulimit -a).");
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    cost.end = End::crashed;
    const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return costly(file, "the library that reads models failed on this one" +
                            (signal ? std::string(" (") + ::strsignal(signal) + ")." : std::string(".")));
  }
  ::fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_WRITE);  // nobody changes it while it is read
  const Mapping mapping(memory);
  if (mapping.failed()) {
    cost.end = End::out_of_memory;
    return Error{codes::out_of_memory, file.string(), "there is not enough memory for the model.",
                 "Close other programs."};
  }
  auto model = read_model(mapping.bytes(), file.string());
  cost.end = model ? End::read : End::refused;
  return model;
}

void limit(decltype(RLIMIT_AS) what, rlim_t soft, rlim_t hard) {
  rlimit now{};
  ::getrlimit(what, &now);
  const rlimit limit{std::min(soft, now.rlim_max), std::min(hard, now.rlim_max)};
  ::setrlimit(what, &limit);
}

}  // namespace

Result<Model> load_model(const fs::path& file, const Reach& reach, ImportCost* cost) {
  ImportCost ignored;
  ImportCost& c = cost ? *cost : ignored;
  c = {};
  HW_TRY(const fs::path importer, find_importer());
  const auto failed = [&](int error) {
    return Error{
        codes::importer_missing, file.string(),
        "the program that reads models, " + importer.string() + ", cannot be run: " + std::strerror(error) + ".",
        "Install halfwire-cli beside Halfwire, or close other programs."};
  };
  const Fd memory(::memfd_create("halfwire-model", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (memory.get() < 0) return failed(errno);
  const auto begin = Clock::now();
  pid_t pid = 0;
  if (const int error = start(importer, file, reach, memory.get(), pid)) return failed(error);
  int status = 0;
  rusage usage{};
  const Ended ended = wait_for(pid, std::chrono::seconds(kWallFactor * seconds_for(size_of_file(file))), status, usage);
  c.wall_seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  c.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  c.peak_bytes = static_cast<uint64_t>(usage.ru_maxrss) * 1024;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) return failed(ENOEXEC);
  return outcome_of(file, memory.get(), status, ended, c);
}

int import_model_as_child(const fs::path& file, const Reach& reach, int fd) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody would read the outcome
  ::close_range(static_cast<unsigned>(fd) + 1, ~0u, 0);
  uint64_t bytes = size_of_file(file);
  if (!kSanitizer) limit(RLIMIT_AS, kMaxAddresses, kMaxAddresses);
  limit(RLIMIT_CORE, 0, 0);
  limit(RLIMIT_FSIZE, kMaxOutcome, kMaxOutcome);
  const auto allow = [&] { limit(RLIMIT_CPU, seconds_for(bytes), kMaxSeconds + 1); };
  allow();
  try {
    const auto model = import_model(file, reach, [&](uint64_t more) {
      bytes += more;
      allow();
    });
    return write_model(fd, model) ? 0 : kExitNotWritten;
  } catch (const std::bad_alloc&) {
    return kExitNoMemory;
  }
}

}  // namespace hw
