#include "tests/fuzz/trial_processes.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <thread>

namespace hw::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

/// A process at work on one seed.
struct Child {
  uint64_t seed;
  int pipe;
  Clock::time_point begin;
  bool ended = false;  // by its limit
};

class Processes {
 public:
  Processes(const TrialLimits& limits, const std::function<std::string(uint64_t)>& work,
            const std::function<void(const Tried&)>& done)
      : limits_(limits), work_(work), done_(done) {}

  size_t count() const { return children_.size(); }

  void start(uint64_t seed) {
    std::fflush(stdout);
    int ends[2];
    if (::pipe(ends) != 0) std::abort();
    const pid_t pid = ::fork();
    if (pid < 0) std::abort();
    if (pid == 0) {
      ::close(ends[0]);
      const rlimit no_core{0, 0}, processor{limits_.processor, RLIM_INFINITY};
      ::setrlimit(RLIMIT_CORE, &no_core);
      ::setrlimit(RLIMIT_CPU, &processor);
      const std::string output = work_(seed);
      const bool written = ::write(ends[1], output.data(), output.size()) == static_cast<ssize_t>(output.size());
      std::_Exit(written ? 0 : 3);
    }
    ::close(ends[1]);
    children_.emplace(pid, Child{seed, ends[0], Clock::now()});
  }

  void collect() {
    int status = 0;
    rusage usage{};
    const pid_t pid = ::wait4(-1, &status, WNOHANG, &usage);
    if (pid > 0) return finish(pid, status, usage);
    const Clock::time_point now = Clock::now();
    for (auto& [id, child] : children_) {
      if (now - child.begin <= limits_.wall) continue;
      child.ended = true;
      ::kill(id, SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

 private:
  void finish(pid_t pid, int status, const rusage& usage) {
    const auto found = children_.find(pid);
    if (found == children_.end()) return;
    const Child child = found->second;
    children_.erase(found);
    Tried tried;
    tried.seed = child.seed;
    tried.seconds = std::chrono::duration<double>(Clock::now() - child.begin).count();
    tried.peak_bytes = static_cast<uint64_t>(usage.ru_maxrss) * 1024;
    char piece[4096];
    for (ssize_t n = 0; (n = ::read(child.pipe, piece, sizeof piece)) > 0;)
      tried.output.append(piece, static_cast<size_t>(n));
    ::close(child.pipe);
    tried.hung = child.ended || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU);
    if (!tried.hung && WIFSIGNALED(status)) tried.crash = "signal " + std::to_string(WTERMSIG(status));
    if (!tried.hung && WIFEXITED(status) && WEXITSTATUS(status) != 0)
      tried.crash = "exit " + std::to_string(WEXITSTATUS(status));
    done_(tried);
    std::fflush(stdout);
  }

  const TrialLimits& limits_;
  const std::function<std::string(uint64_t)>& work_;
  const std::function<void(const Tried&)>& done_;
  std::map<pid_t, Child> children_;
};

}  // namespace

void try_each(uint64_t first, uint64_t count, const TrialLimits& limits,
              const std::function<std::string(uint64_t)>& work, const std::function<void(const Tried&)>& done) {
  Processes processes(limits, work, done);
  for (uint64_t next = first; next < first + count || processes.count() > 0;) {
    while (processes.count() < limits.jobs && next < first + count) processes.start(next++);
    processes.collect();
  }
}

}  // namespace hw::fuzz
