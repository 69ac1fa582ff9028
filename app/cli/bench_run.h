// Measures runs or training steps of a graph on random inputs.
#pragma once

#include "app/cli/graph_input.h"
#include "engine/instrument/node_kernels.h"
#include "engine/passes/program_passes.h"

namespace hw::cli {

struct BenchOptions : GraphOptions {
  std::string device = "cpu", dtype;     // dtype: f16, bf16; empty: as the graph is
  std::vector<std::string> inputs = {};  // --input; other Inputs get random numbers
  bool train = false;
  int64_t batch = 0;  // 0: as the graph is
  int runs = 10, threads = 0;
  PassesOff passes_off;  // of a run; training has none
};

struct BenchNode {
  std::string node;  // path
  double ms = 0;     // per run, the mean of those measured; per training step, with its backward pass and updates
  double products = 0, floor_ms = 0;
  NodeKernels kernels;
};

struct BenchReport {
  std::vector<double> ms;        // of each run, the shortest first
  std::vector<BenchNode> nodes;  // the slowest first
  std::string dtype;             // "as drawn", "bf16"
  double mean_ms = 0;            // mean of the runs that the nodes' times are of
  int64_t batch = 0;             // samples a run
  int threads = 0;
  double products_per_second = 0;  // see measure_product_rate
  size_t temp_bytes = 0;           // of values between nodes
  double compile_seconds = 0;      // checking, lowering, compiling

  double median_ms() const { return ms[ms.size() / 2]; }
  double samples_per_second() const { return static_cast<double>(batch) / median_ms() * 1e3; }
  double floor_ms() const;    // of all nodes
  double outside_ms() const;  // of the measured runs, in no node
};

/// Inputs that `inputs` do not give hold normal random numbers (integers: zeros), weights their initial values.
/// Progress on a terminal. Errors: those of load_graph, diagnostics that block what is measured (printed:
/// kPrintedAlready), HW-C001 a batch that no Input takes, HW-R001, HW-R004 stopped by a signal, and the device's.
Result<BenchReport> run_bench(const BenchOptions& o);

}  // namespace hw::cli
