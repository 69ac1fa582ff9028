// How long runs or training steps of a graph take, node by node, beside what the device multiplies at best.
#pragma once

#include <atomic>
#include <functional>

#include "engine/backend/backend.h"
#include "engine/graph/lower/lower.h"
#include "engine/instrument/node_kernels.h"
#include "engine/passes/program_passes.h"
#include "engine/plan/weights.h"
#include "engine/program/traffic.h"

namespace hw::workspace {

/// What is measured. Without errors in the cone of `wires`, or of the Train node.
struct BenchRequest {
  Graph graph;  // flattened
  std::shared_ptr<Assets> assets;
  std::shared_ptr<Device> device;          // used by nobody else meanwhile
  std::shared_ptr<const Weights> weights;  // null: initial ones
  GivenValues given = {};                  // of every Input that nothing is wired to
  bool train = false;                      // steps of the Train node, else runs that compute `wires`
  std::vector<SocketRef> wires = {};
  DType stated = DType::f32;  // of the factors whose rate the report states
  int runs = 10;              // that are measured; some come before
  int threads = 0;            // of the CPU, for this call alone; 0: those of the process
  PassesOff passes_off = {};  // of a run; training has none
  /// Share that is done, in [0, 1], and what; on the calling thread, now and then between long runs. May be empty.
  std::function<void(double, const std::string&)> progress = {};
  const std::atomic<bool>* cancel = nullptr;
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
  std::string dtype;             // "as drawn", "bf16": the caller's
  double mean_ms = 0;            // mean of the runs that the nodes' times are of
  int64_t batch = 0;             // samples a run
  int threads = 0;
  double products_per_second = 0;  // see measure_product_rate
  size_t temp_bytes = 0;           // of values between nodes
  double compile_seconds = 0;      // checking, lowering, compiling
  std::optional<DeviceWork> work;  // of a run or step, where the device counts it
  Traffic traffic;                 // of a run or step

  double median_ms() const { return ms[ms.size() / 2]; }
  double samples_per_second() const { return static_cast<double>(batch) / median_ms() * 1e3; }
  double floor_ms() const;    // of all nodes
  double outside_ms() const;  // of the measured runs, in no node
};

/// Blocks. Errors: what lowering and the device report, HW-F005, HW-R001, HW-R004 cancelled.
Result<BenchReport> bench(const BenchRequest& request);

}  // namespace hw::workspace
