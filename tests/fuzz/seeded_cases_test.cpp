// Two thousand seeded files, half graphs and half weights, under the address and undefined behaviour sanitizers: no
// crash, no hang, less than 1 GB. A crash prints its seed first: fuzz_seeded SEED runs that one alone.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/fuzz_files.h"

namespace {

constexpr uint64_t kCases = 2000;
constexpr unsigned kHang = 20;  // seconds of one case before it counts as a hang

struct Counts {
  int read = 0, refused = 0;
};

void run(uint64_t seed, Counts& graphs, Counts& weights) {
  hw::fuzz::Choices choices(seed);
  const bool graph = seed % 2 == 0;
  const std::string bytes = graph ? hw::fuzz::make_graph(choices) : hw::fuzz::make_weights(choices);
  ::alarm(kHang);
  const bool read = graph ? hw::fuzz::check_graph(bytes) : hw::fuzz::check_weights(bytes);
  ::alarm(0);
  Counts& counts = graph ? graphs : weights;
  ++(read ? counts.read : counts.refused);
}

}  // namespace

int main(int argc, char** argv) {
  Counts graphs, weights;
  const uint64_t only = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : kCases;
  double slowest = 0;
  for (uint64_t seed = argc > 1 ? only : 0; seed < (argc > 1 ? only + 1 : kCases); ++seed) {
    std::fprintf(stderr, "\rseed %llu ", static_cast<unsigned long long>(seed));
    const auto begin = std::chrono::steady_clock::now();
    run(seed, graphs, weights);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    slowest = std::max(slowest, took.count());
  }
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const double megabytes = static_cast<double>(usage.ru_maxrss) * 1024e-6;
  std::printf("\ngraphs: %d read, %d refused; weights: %d read, %d refused; slowest %.2f s, at most %.0f MB\n",
              graphs.read, graphs.refused, weights.read, weights.refused, slowest, megabytes);
  if (argc > 1) return 0;
  const bool varied = graphs.read > 100 && graphs.refused > 100 && weights.read > 100 && weights.refused > 100;
  if (!varied) std::printf("the cases are too much alike to test anything\n");
  return varied && megabytes < 1000 ? 0 : 1;
}
