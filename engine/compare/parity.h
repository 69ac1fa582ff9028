// Parity: one graph on two devices, op by op, step by step. Names the first op that diverges, and its node.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <optional>

#include "engine/backend/backend.h"
#include "engine/graph/graph.h"
#include "engine/plan/weights.h"
#include "engine/program/pass.h"

namespace hw {

/// "cpu", "ref"; "cpu@2": with two threads.
struct ParityDevice {
  std::string name;
  std::shared_ptr<Device> device;
  int threads = 0;  // 0: as many as the process uses
};
/// Error HW-C001: there is no such device, or the number of threads is not 1 … 1024.
Result<ParityDevice> parity_device(const std::string& name);

struct ParityOptions {
  uint64_t steps = 3;                      // at least 1; the comparison ends with the first step that diverges
  std::shared_ptr<const Weights> weights;  // null: initial ones for the Train node's seed
  bool partial_weights = false;            // initial ones for those that `weights` lack; else they are refused
  size_t worst = 3;                        // elements reported a value
  int64_t keep_up_to = 0;                  // values of at most so many elements are kept
  std::function<void(double)> progress;    // share that is done, within steps too; on the calling thread
  const std::atomic<bool>* cancel = nullptr;
};

/// On b's own inputs: the same bits; within the tolerance; `diverges`: beyond it. `inherited`: within it, but made of
/// values that diverge, and therefore beyond it beside a's own run.
enum class ParityVerdict : uint8_t { same_bits, within, inherited, diverges };
/// "same bits", "within", "inherited", "diverges".
std::string_view name(ParityVerdict verdict);

struct ParityElement {
  int64_t index = 0;  // flat, row major
  double a = 0, b = 0, allowed = 0;
};

/// What an op made: an output, or a state that it wrote.
struct ParityItem {
  std::string node, name, op;  // name: "mlp.y", "grad(mlp.x)", "mlp.layer_0"; "" for a part of a node
  Pass pass = Pass::forward;
  DType dtype = DType::f32;
  Dims dims;
  ParityVerdict verdict = ParityVerdict::same_bits;
  double error = 0;  // largest |b − a| ÷ allowed, a's op on b's inputs; Inf: one is not finite and the other differs
  double total = 0;  // the same beside a's own run of the step
  bool random = false;     // draws from a Philox stream
  int64_t not_finite = 0;  // elements of b that are Inf or NaN; a's are the same where nothing diverges
  /// Neither right nor wrong: all of it is Inf or NaN.
  bool is_compared() const { return not_finite == 0 || not_finite < element_count(dims); }
  std::vector<ParityElement> worst;  // a: on b's inputs
  Tensor a, b;                       // its values, a's on b's inputs; empty: not kept
};

struct ParityReport {
  std::vector<ParityItem> items;                  // of `step`, in the order they are computed; see below
  std::optional<size_t> first;                    // index of the first that diverges
  Tensor first_a, first_b;                        // its values, a's on b's inputs
  uint64_t step = 0;                              // 0-based: the one that diverges, else the last
  uint64_t pass = 0;                              // its forward pass that diverges, else the last, by which it draws
  uint64_t steps = 0;                             // compared
  std::vector<std::pair<double, double>> losses;  // of a and b, by step
  std::string a, b;
  uint64_t seed = 0;
  bool stopped = false;  // after `steps`, fewer than were asked for
  bool agrees() const { return !first; }
  /// Items of which nothing is finite, on either device.
  size_t not_compared() const {
    return static_cast<size_t>(std::ranges::count_if(items, [](const ParityItem& i) { return !i.is_compared(); }));
  }
};

/// Trains the graph's Train node on b. Before each step a takes over b's states; then b's step is held against a's, and
/// each op's outputs and written states against what a makes of the very inputs that b's op had: so an error is found
/// where it arises, and no rounding adds up over ops or steps. States are read after the step: of two ops that write
/// one (the loss scale's), the first is named. Tolerances: OpTolerance, with the accumulator that the coarser kernel
/// declares; whole numbers and bool agree exactly, but for the mask of touched table entries, which may hold more than
/// it must. All runs of a step, of one rank: see engine/plan/step_stages.h; of what the micro-batches make alike, an
/// item is the worst. A schedule is that of the Train node's run, or of this one where it is longer. Needs about four
/// times the memory of all values of a step. Errors: those of plan_training and of the devices, HW-R001, HW-F005,
/// HW-R004 before the first step is done: after it the report says what was compared until then. Sets the number of
/// threads of the process while it runs, where a device names one.
Result<ParityReport> parity(const Graph& graph, Assets& assets, const ParityDevice& a, const ParityDevice& b,
                            const ParityOptions& options);

}  // namespace hw
