// Determinism: a graph trained at several numbers of threads, bit for bit; names the ops whose bits depend on it.
#pragma once

#include <atomic>
#include <functional>
#include <optional>

#include "engine/backend/backend.h"
#include "engine/graph/graph.h"
#include "engine/plan/weights.h"
#include "engine/program/pass.h"

namespace hw {

struct DeterminismOptions {
  std::vector<int> threads = {1, 2, 3, 8};  // 1 … 1024 each, at least two; the others are held against the first
  uint64_t steps = 2;                       // at least 1
  std::shared_ptr<const Weights> weights;   // null: initial ones for the Train node's seed
  bool partial_weights = false;             // initial ones for those that `weights` lack; else they are refused
  std::function<void(double)> progress;     // share that is done
  const std::atomic<bool>* cancel = nullptr;
};

/// `differs`: on the same inputs. `inherited`: only because its inputs differ.
enum class DeterminismVerdict : uint8_t { same, inherited, differs };
/// "same bits", "inherited", "differs".
std::string_view name(DeterminismVerdict verdict);

/// What an op made at one number of threads that has other bits than at the first.
struct BitDifference {
  int threads = 0;
  uint64_t step = 0;    // 0-based: the first that has it
  size_t elements = 0;  // how many differ then
  int64_t index = 0;    // flat, row major: of the first of them
  double a = 0, b = 0;  // there: at the first number of threads, at this one
};

/// An output of an op, or a state that it wrote, over all steps.
struct DeterminismItem {
  std::string node, name, op;  // name: "mlp.y", "grad(mlp.x)", "mlp.layer_0"; "" for a part of a node
  Pass pass = Pass::forward;
  DType dtype = DType::f32;
  Dims dims;
  std::string implementation;  // of the kernel
  DeterminismVerdict verdict = DeterminismVerdict::same;
  std::vector<BitDifference> differences;  // at most one a number of threads
};

struct DeterminismReport {
  std::vector<DeterminismItem> items;  // in the order they are computed
  std::optional<size_t> first;         // index of the first that differs
  std::vector<int> threads;
  uint64_t steps = 0, seed = 0;
  std::string device;
  bool deterministic() const { return !first; }
};

/// Trains the graph's Train node on a device at each number of threads. Every step of all of them begins with the
/// states that the first has, and beside the program as a whole each op runs alone on the inputs that it has there: so
/// an op is distinguished from those that only inherit a difference, and one that depends on the number of threads
/// cannot hide another. All runs of a step, of one rank: see engine/plan/step_stages.h; a schedule is that of the Train
/// node's run, or of this one where it is longer. Needs about 2n + 3 times the memory of all values of a step for n
/// numbers of threads. Errors: those of plan_training and of the device, HW-C001 for numbers of threads that cannot be,
/// HW-R001, HW-R004, HW-F005. Sets the number of threads of the process while it runs.
Result<DeterminismReport> check_determinism(const Graph& graph, Assets& assets, const std::shared_ptr<Device>& device,
                                            const DeterminismOptions& options);

}  // namespace hw
