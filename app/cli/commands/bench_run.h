// Measures runs or training steps of a graph on random inputs: what the options of bench ask for.
#pragma once

#include "app/cli/options/graph_input.h"
#include "app/workspace/bench.h"
#include "engine/passes/program_passes.h"

namespace hw::cli {

using workspace::BenchNode;
using workspace::BenchReport;

struct BenchOptions : GraphRequest {
  std::string device = "cpu", dtype;     // dtype: f16, bf16; empty: as the graph is
  std::vector<std::string> inputs = {};  // --input; other Inputs get random numbers
  bool train = false;
  int64_t batch = 0;  // 0: as the graph is
  int runs = 10, threads = 0;
  PassesOff passes_off;  // of a run; training has none
};

/// Inputs that `inputs` do not give hold normal random numbers (integers: zeros), weights their initial values.
/// Progress on a terminal. Errors: those of open_graph, diagnostics that block what is measured (printed:
/// kPrintedAlready), HW-C001 a batch that no Input takes, HW-R001, HW-R004 stopped by a signal, and the device's.
Result<BenchReport> run_bench(const BenchOptions& o);

}  // namespace hw::cli
