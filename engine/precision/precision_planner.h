// The precision planner: the cheapest precision of each node within a budget, found by measuring.
#pragma once

#include "engine/precision/precision_budget.h"
#include "engine/precision/precision_space.h"
#include "engine/precision/what_if.h"

namespace hw {

/// What is to become small: bytes (of training for a loss budget, of evaluation for an error budget), time, or both:
/// their product.
enum class Minimise : uint8_t { both, bytes, time };
/// "both", "bytes", "time".
std::string_view name(Minimise minimise);
std::optional<Minimise> minimise_from_name(std::string_view text);

struct PlannerProgress {
  double share = 0;  // of all that may be measured, in [0, 1]
  std::string what;  // "trying encoder f16; mlp f32"
};

struct PlannerOptions {
  std::string device = "cpu";
  PrecisionBudget budget;
  Minimise minimise = Minimise::both;
  uint64_t steps = 0;                     // of the runs that decide; 0: as many as the Train node says
  uint64_t probe_steps = 0;               // of the short ones; 0: a tenth of steps, 20 to 100
  std::optional<uint64_t> held_out_seed;  // what decides; default: the Train node's + 1. Probes use another
  int repeats = 1;                        // loss budget: seeds of training, whose mean rise decides
  int most_finals = 5;                    // configs that are measured at full length
  std::map<std::string, Tensor> states;   // where every run begins, see TrialStart
  GivenValues given;                      // outputs whose values are given, in the dtypes of the graph
  std::function<void(const PlannerProgress&)> progress;
  const std::atomic<bool>* cancel = nullptr;
};

/// A config that was measured.
struct PlannerTrial {
  std::string config;
  bool is_final = false;     // at full length, else a probe
  bool is_measured = false;  // else it was too slow for a cost
  double cost = 0;           // rise of the held-out loss, or output error; infinite: it failed
  double cost_noise = 0;     // of a rise: see PairedLoss; with repeats, of their mean (95 %)
  PrecisionBytes bytes;
  PairedTime time;      // other is the config; base is full precision
  std::string verdict;  // "within the budget", "beyond the budget", …
};

struct PrecisionProposal {
  /// Whether there is something better than the graph as it is. If not, `why` says so, and `edits` are empty.
  bool found = false;
  std::string why;
  std::string config;  // of the plan; of the graph as it is when nothing better was found
  Edits edits;         // one undo step; empty: nothing is to be changed
  std::vector<std::string> notes;
  WhatIfSide full, plan;  // full: every node in f32 or wider, the budget's measure. loss, ms_per_step: as measured
  double cost = 0, cost_noise = 0;  // the plan's: rise of the held-out loss, or output error
  PairedTime time;                  // other is the plan; base is full precision
  std::vector<PlannerTrial> trials;
  uint64_t steps = 0, seed = 0, held_out_seed = 0;
  double bytes_ratio(PrecisionBudget::Kind kind) const;
};

/// Loss budget: full precision is trained first. Then short runs with one group of nodes narrowed, each timed in turns
/// with full precision, drop what costs too much; what stays is combined, the greatest saving first, and trained at
/// full length; a held-out seed that was not used for choosing decides. Error budget: full precision is trained, and
/// configs are evaluated on its weights, rounded. Bytes are those of the memory plan; time counts only where it is
/// beyond noise. A plan that is both larger and slower than full precision, or than the graph as it is, is never
/// proposed. Errors: the graph's first error, HW-G006, HW-R002 (nothing to choose), HW-R003 (full precision fails),
/// HW-R004, and those of TrainingRun::make. Any thread.
Result<PrecisionProposal> plan_precision(const Graph& graph, Assets& assets, const PlannerOptions& options);

}  // namespace hw
