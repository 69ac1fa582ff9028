// fuzz_graphs: random graphs, each in a process of its own. Exits with 1 where one crashed, hung for ten seconds, took
// more memory than was announced, or was refused without a reason; the seed repeats it.
//   fuzz_graphs [--count N] [--first SEED] [--jobs N]
//   fuzz_graphs --seed SEED [--write FILE]     one graph in this process, saying what happens
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <thread>

#include "engine/core/parallel.h"
#include "engine/io/graph_file.h"
#include "tests/fuzz/graph_trial.h"
#include "tests/fuzz/random_graph.h"

namespace hw::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kHang{10};

struct Options {
  uint64_t count = 300, first = 1;
  std::optional<uint64_t> seed;
  std::string write;
  size_t jobs = std::max(1u, std::thread::hardware_concurrency());
};

/// A process at work on one graph.
struct Child {
  uint64_t seed;
  int pipe;
  Clock::time_point begin;
};

struct Counts {
  uint64_t graphs = 0, valid = 0, large = 0, trained = 0, refused = 0, checked = 0, stopped = 0;
  uint64_t crashed = 0, hung = 0, broken = 0;
  std::vector<uint64_t> wrong;  // seeds
  double slowest = 0;
};

class Runner {
 public:
  explicit Runner(const Options& options) : o_(options) {}

  int run() {
    for (uint64_t next = o_.first; next < o_.first + o_.count || !children_.empty();) {
      while (children_.size() < o_.jobs && next < o_.first + o_.count) start(next++);
      collect();
    }
    std::printf(
        "%llu graphs from seed %llu: %llu valid, %llu trained one step, %llu gradient-checked, %llu refused when they "
        "were to run, %llu announced as too large to try, %llu stopped when asked to; slowest %.1f s\n",
        count(c_.graphs), count(o_.first), count(c_.valid), count(c_.trained), count(c_.checked), count(c_.refused),
        count(c_.large), count(c_.stopped), c_.slowest);
    if (!c_.wrong.empty()) {
      std::printf("%zu with a gradient that differs from central differences:", c_.wrong.size());
      for (size_t i = 0; i < std::min<size_t>(c_.wrong.size(), 12); ++i) std::printf(" %llu", count(c_.wrong[i]));
      std::printf("\n");
    }
    std::printf("%llu crashes, %llu hangs, %llu broken promises\n", count(c_.crashed), count(c_.hung),
                count(c_.broken));
    return c_.crashed + c_.hung + c_.broken > 0;
  }

 private:
  static unsigned long long count(uint64_t n) { return n; }

  void start(uint64_t seed) {
    std::fflush(stdout);
    int ends[2];
    if (::pipe(ends) != 0) std::abort();
    const pid_t pid = ::fork();
    if (pid < 0) std::abort();
    if (pid == 0) {
      ::close(ends[0]);
      const rlimit no_core{0, 0};
      ::setrlimit(RLIMIT_CORE, &no_core);
      set_thread_count(2);
      const Trial trial = try_graph(random_graph(seed), false);
      const bool told = ::write(ends[1], &trial, sizeof trial) == sizeof trial;
      std::_Exit(told ? 0 : 3);
    }
    ::close(ends[1]);
    children_.emplace(pid, Child{seed, ends[0], Clock::now()});
  }

  void collect() {
    int status = 0;
    const pid_t pid = ::waitpid(-1, &status, WNOHANG);
    if (pid > 0) return finish(pid, status);
    const Clock::time_point now = Clock::now();
    for (auto& [id, child] : children_)
      if (now - child.begin > kHang) ::kill(id, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  void finish(pid_t pid, int status) {
    const auto found = children_.find(pid);
    if (found == children_.end()) return;
    const Child child = found->second;
    children_.erase(found);
    const Clock::duration took = Clock::now() - child.begin;
    Trial trial;
    const bool told = ::read(child.pipe, &trial, sizeof trial) == sizeof trial;
    ::close(child.pipe);
    ++c_.graphs;
    c_.slowest = std::max(c_.slowest, std::chrono::duration<double>(took).count());
    if (took > kHang) {
      ++c_.hung;
      std::printf("seed %llu: hung\n", count(child.seed));
    } else if (!told || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      ++c_.crashed;
      std::printf("seed %llu: crashed, %s %d\n", count(child.seed), WIFSIGNALED(status) ? "signal" : "exit",
                  WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    } else {
      add(child.seed, trial);
    }
    if (c_.graphs % 1000 == 0) std::printf("%llu graphs\n", count(c_.graphs));
    std::fflush(stdout);
  }

  void add(uint64_t seed, const Trial& t) {
    c_.valid += t.valid;
    c_.large += t.large;
    c_.trained += t.trained;
    c_.refused += t.refused;
    c_.checked += t.checked;
    c_.stopped += t.stopped;
    if (t.wrong) c_.wrong.push_back(seed);
    if (!t.broken[0]) return;
    ++c_.broken;
    std::printf("seed %llu: %s\n", count(seed), t.broken);
  }

  const Options& o_;
  std::map<pid_t, Child> children_;
  Counts c_;
};

/// The graph of a seed in this process, for a debugger.
int run_one(const Options& o) {
  const Graph graph = random_graph(*o.seed);
  if (!o.write.empty()) {
    if (const Status saved = save_graph(graph, o.write); !saved) {
      std::fprintf(stderr, "%s\n", saved.error().text().c_str());
      return 1;
    }
  }
  set_thread_count(2);
  const Trial trial = try_graph(graph, true);
  return trial.broken[0] ? 1 : 0;
}

int usage() {
  std::fprintf(stderr, "usage: fuzz_graphs [--count N] [--first SEED] [--jobs N] | --seed SEED [--write FILE]\n");
  return 2;
}

}  // namespace
}  // namespace hw::fuzz

int main(int argc, char** argv) {
  using namespace hw::fuzz;
  Options o;
  for (int i = 1; i < argc; i += 2) {
    const std::string option = argv[i];
    if (i + 1 == argc) return usage();
    const uint64_t number = std::strtoull(argv[i + 1], nullptr, 10);
    if (option == "--count") {
      o.count = number;
    } else if (option == "--first") {
      o.first = number;
    } else if (option == "--jobs") {
      o.jobs = std::max<size_t>(1, number);
    } else if (option == "--seed") {
      o.seed = number;
    } else if (option == "--write") {
      o.write = argv[i + 1];
    } else {
      return usage();
    }
  }
  return o.seed ? run_one(o) : Runner(o).run();
}
