// RunSnapshot: what a training run has done so far, for whoever shows it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"
#include "engine/instrument/node_facts.h"
#include "engine/instrument/node_inspection.h"
#include "engine/plan/weights.h"
#include "engine/train/checkpoint.h"
#include "engine/train/measurement.h"

namespace hw {

struct BadValue;
struct InstrumentReadings;

enum class RunState : uint8_t { idle, preparing, running, paused, finished, failed };
std::string_view name(RunState state);

/// A value that goes between devices, or between parts of a step on one, because nodes have devices of their own.
struct TransferReading {
  std::string value;     // "node.socket", "grad(node.socket)", a state's name; empty: made and used inside `node`
  std::string node;      // whose ops made it; empty: a state, an input
  std::string from, to;  // devices, by id
  double bytes = 0;      // a step, micro-batches together
  double ms = 0;         // mean a step, on the host: from when it is made until the other device has been given it
};

/// The progress of a run. Immutable once handed out.
struct RunSnapshot {
  RunState state = RunState::idle;
  uint64_t step = 0;         // steps done
  uint64_t steps = 0;        // steps asked for
  double samples_per_s = 0;  // over the last second or so; once it ended, over all steps
  double seconds = 0;        // training time so far
  double loss = 0;           // of the last step: the mean of its batches, before the update, in training mode
  double learning_rate = 0;  // of the next step, after its schedule
  double loss_scale = 1;
  std::shared_ptr<const std::vector<LossScaleEvent>>
      loss_scales;                                   // the first step, then changes; null: no loss scaling
  std::shared_ptr<const std::vector<float>> losses;  // one a step
  std::shared_ptr<const RunHistory> history;         // null while it runs
  /// Mean a step, forward + backward + update. On a GPU whole steps are timed, and shared out as in the last one that
  /// was launched op by op: the second, and one in a thousand.
  std::map<std::string, double> node_ms;
  std::map<std::string, NodeKernels> node_kernels;
  std::map<std::string, NodeMemory> node_memory;
  std::vector<TransferReading> transfers;  // the most bytes first; empty: all runs on one device
  size_t memory_bytes = 0;
  size_t states_bytes = 0;                 // of what a checkpoint keeps
  std::shared_ptr<const Weights> weights;  // renewed at most 10 times a second, and at the end
  uint64_t weights_step = 0;
  std::shared_ptr<const NodeInspection> inspection;  // of the node asked for
  std::shared_ptr<const InstrumentReadings>
      instruments;  // renewed at most 5 times a second, and at the end; null: none
  std::shared_ptr<const std::vector<RunHistory::Metrics>> measurements;  // all so far; null: none
  std::shared_ptr<const Measurement> measured;  // the last one; null: none yet, or the graph has no metric
  std::optional<Best> best;                     // none: no validation split was measured yet
  std::vector<std::string> class_names;         // of the data set that the run draws from; of a text its characters
  std::vector<std::string> notes;               // "encoder.table re-initialised: shape changed"
  std::optional<Error> error;                   // state failed
  std::shared_ptr<const BadValue> bad_value;    // what a watch ended the run for; the error says it in short
};

}  // namespace hw
