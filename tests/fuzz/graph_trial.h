// One graph through everything that an untrusted graph goes through: validated, trained one step,
// gradient-checked.
#pragma once

#include <string>

#include "engine/graph/graph.h"

namespace hw::fuzz {

/// How far a graph came, and what broke on the way. Plain data: it goes through a pipe.
struct Trial {
  bool valid = false;                  // no error of validation
  bool large = false;                  // valid, but announced above kLargest: not run
  bool trained = false;                // one step
  bool refused = false;                // the step, with a reason
  bool checked = false;                // gradients
  bool wrong = false;                  // at least one of them, by the check
  bool stopped = false;                // out of time, and obeyed
  char broken[256] = "";               // a promise that was not kept, in words; empty: none
  size_t announced = 0, resident = 0;  // bytes: of the process, before training and at its largest
};

/// Graphs that are announced with more bytes are validated only.
inline constexpr size_t kLargest = size_t{256} << 20;

/// Runs in a process of its own, as peak memory is the process's. `verbose`: says what happens.
Trial try_graph(const Graph& graph, bool verbose);

}  // namespace hw::fuzz
