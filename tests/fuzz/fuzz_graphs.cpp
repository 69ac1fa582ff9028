// fuzz_graphs: random graphs, each in a process of its own. Exits with 1 where one crashed, hung for ten seconds, took
// more memory than was announced, or was refused without a reason; the seed repeats it.
//   fuzz_graphs [--count N] [--first SEED] [--jobs N]
//   fuzz_graphs --seed SEED [--write FILE]     one graph in this process, saying what happens
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "engine/core/parallel.h"
#include "engine/io/graph/graph_file.h"
#include "tests/fuzz/graph_trial.h"
#include "tests/fuzz/random_graph.h"
#include "tests/fuzz/trial_processes.h"

namespace hw::fuzz {
namespace {

struct Options {
  uint64_t count = 300, first = 1;
  std::optional<uint64_t> seed;
  std::string write;
  size_t jobs = std::max(1u, std::thread::hardware_concurrency());
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
    TrialLimits limits;
    limits.jobs = o_.jobs;
    try_each(o_.first, o_.count, limits, work, [this](const Tried& tried) { finish(tried); });
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

  static std::string work(uint64_t seed) {
    set_thread_count(2);
    const Trial trial = try_graph(random_graph(seed), false);
    return {reinterpret_cast<const char*>(&trial), sizeof trial};
  }

  void finish(const Tried& tried) {
    ++c_.graphs;
    c_.slowest = std::max(c_.slowest, tried.seconds);
    if (tried.hung) {
      ++c_.hung;
      std::printf("seed %llu: hung\n", count(tried.seed));
    } else if (Trial trial; tried.well() && tried.output.size() == sizeof trial) {
      std::memcpy(&trial, tried.output.data(), sizeof trial);
      add(tried.seed, trial);
    } else {
      ++c_.crashed;
      std::printf("seed %llu: crashed, %s\n", count(tried.seed), tried.crash.c_str());
    }
    if (c_.graphs % 1000 == 0) std::printf("%llu graphs\n", count(c_.graphs));
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
