#include "engine/io/child/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "engine/core/codes.h"

extern char** environ;

namespace hw::child {
namespace {

namespace fs = std::filesystem;

constexpr rlim_t kSeconds = 4;                           // of processor time
constexpr uint64_t kBytesPerSecond = uint64_t{8} << 20;  // one second more for so much of input

Error costly(const fs::path& file, const std::string& reason) {
  return {codes::asset_costly, file.string(), reason,
          "The file may be damaged: export it again, in a common format, or make it smaller."};
}

}  // namespace

Outcome::Outcome(int fd) {
  ::fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_WRITE);  // it cannot change while it is read
  struct stat status {};
  if (::fstat(fd, &status) != 0 || status.st_size <= 0) return;
  size_ = static_cast<size_t>(status.st_size);
  at_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0);
  if (at_ == MAP_FAILED) at_ = nullptr;
}

Outcome::~Outcome() {
  if (at_) ::munmap(at_, size_);
}

Result<std::unique_ptr<Outcome>> outcome_in(int fd, const fs::path& file) {
  auto outcome = std::make_unique<Outcome>(fd);
  if (outcome->failed())
    return Error{codes::out_of_memory, file.string(), "there is not enough memory for it.", "Close other programs."};
  return outcome;
}

Result<fs::path> find_program() {
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
  return Error{codes::importer_missing, "",
               "the program that reads models, pictures and sounds cannot be run; looked for " + searched + ".",
               "Install halfwire-cli beside Halfwire, or name it in HALFWIRE_IMPORTER."};
}

int start(std::vector<std::string> words, int fd, pid_t& pid) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  // Each takes memory. A child without its descriptor would fail as if the file were to blame.
  int failed = posix_spawn_file_actions_adddup2(&actions, fd, kFd);
  for (int stream = 0; stream < 3 && failed == 0; ++stream)
    failed = posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", stream ? O_WRONLY : O_RDONLY, 0);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  if (failed == 0) failed = ::posix_spawn(&pid, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return failed;
}

Error cannot_run(const fs::path& program, const fs::path& file, int error) {
  return {codes::importer_missing, file.string(),
          "the program that reads models, pictures and sounds, " + program.string() +
              ", cannot be run: " + std::strerror(error) + ".",
          "Install halfwire-cli beside Halfwire, or close other programs."};
}

rlim_t seconds_for(uint64_t bytes) {
  return std::min<rlim_t>(kMaxSeconds, kSeconds + static_cast<rlim_t>(bytes / kBytesPerSecond));
}

uint64_t size_or_none(const fs::path& file) {
  std::error_code ec;
  const uintmax_t size = fs::file_size(file, ec);
  return ec ? 0 : size;
}

void limit(decltype(RLIMIT_AS) what, rlim_t soft, rlim_t hard) {
  rlimit now{};
  ::getrlimit(what, &now);
  const rlimit limit{std::min(soft, now.rlim_max), std::min(hard, now.rlim_max)};
  ::setrlimit(what, &limit);
}

Fault fault_of(const fs::path& file, std::string_view what, int status, Ended ended, uint64_t most) {
  using Kind = Fault::Kind;
  const std::string thing(what);
  if (ended == Ended::by_time || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)) {
    const rlim_t limit = seconds_for(size_or_none(file));
    return {Kind::out_of_time, costly(file, "reading the " + thing + " was given up after " + std::to_string(limit) +
                                                " s of processor time, or " + std::to_string(kWallFactor * limit) +
                                                " s of waiting for it.")};
  }
  if (ended == Ended::by_free_memory) {
    return {Kind::out_of_memory,
            {codes::out_of_memory, file.string(),
             "reading the " + thing + " takes more than the " + std::to_string(most / 1'000'000) +
                 " MB of memory that are free.",
             "Close other programs. A damaged file may take any amount: then export it again."}};
  }
  if (ended == Ended::by_memory || (WIFEXITED(status) && WEXITSTATUS(status) == kExitNoMemory)) {
    return {Kind::out_of_memory,
            costly(file, "reading the " + thing + " takes more than " + std::to_string(most / 1'000'000) + " MB.")};
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == kExitNotWritten) {
    return {Kind::out_of_memory,
            costly(file, "the " + thing + " is larger than a file or the memory may be here (see ulimit -a).")};
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return {Kind::crashed, costly(file, "the library that reads " + thing + "s failed on this one" +
                                          (signal ? std::string(" (") + ::strsignal(signal) + ")." : "."))};
}

}  // namespace hw::child
