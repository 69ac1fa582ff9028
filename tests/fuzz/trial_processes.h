// Seeds, each tried in a process of its own: one that crashes, hangs or grows is distinguished from the others.
#pragma once

#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace hw::fuzz {

/// What became of the process that tried a seed.
struct Tried {
  uint64_t seed = 0;
  std::string output;       // what `work` returned; valid where it ended well
  std::string crash;        // "signal 11", "exit 3"; "": it ended well, or hung
  bool hung = false;        // it was ended after its time
  double seconds = 0;       // since its start
  uint64_t peak_bytes = 0;  // largest resident set
  bool well() const { return crash.empty() && !hung; }
};

struct TrialLimits {
  size_t jobs = 1;                   // processes side by side
  std::chrono::seconds wall{10};     // since a process' start
  rlim_t processor = RLIM_INFINITY;  // seconds that it may work
};

/// Calls `done` with each of `count` seeds from `first` on, as they end. `work` runs in the process of a seed, and
/// returns the output, a few kilobytes at most.
void try_each(uint64_t first, uint64_t count, const TrialLimits& limits,
              const std::function<std::string(uint64_t seed)>& work, const std::function<void(const Tried&)>& done);

}  // namespace hw::fuzz
