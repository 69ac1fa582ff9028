#include "engine/precision/precision_measure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace hw {
namespace {

constexpr uint64_t kTimedEvery = 4;    // steps between pairs that are timed
constexpr int kTimedEvaluations = 16;  // pairs, for an error budget
constexpr int kErrorBatches = 4;
constexpr double kHopeless = 5;       // times the budget on the way, and further training rarely mends it
constexpr double kEarlyNoise = 0.02;  // early losses differ by this much by chance
constexpr double kInf = std::numeric_limits<double>::infinity();

uint64_t other_than(uint64_t seed, uint64_t wanted) {
  return wanted == seed ? wanted + 1 : wanted;
}

}  // namespace

PrecisionMeasure::PrecisionMeasure(Assets& assets, const PlannerOptions& options, uint64_t seed, Tick tick,
                                   TooSlow too_slow)
    : assets_(assets),
      o_(options),
      tick_(std::move(tick)),
      too_slow_(std::move(too_slow)),
      deciding_seed_(options.held_out_seed.value_or(seed + 1)),
      probing_seed_(other_than(seed, deciding_seed_ + 1)) {
  const uint64_t last = held_out_window(o_.steps),
                 probe = std::min(o_.probe_steps, std::max<uint64_t>(16, o_.probe_steps / 4));
  for (const uint64_t end : {o_.probe_steps, o_.steps / 4, o_.steps / 2}) {
    const uint64_t before = windows_.empty() ? 0 : windows_.back().last;
    if (end >= before + probe && end + last <= o_.steps) windows_.push_back({end - probe, end, probing_seed_, {}});
  }
  windows_.push_back({o_.steps - last, o_.steps, deciding_seed_, {}});
}

Result<PrecisionMeasure::Window*> PrecisionMeasure::look(PrecisionTrial& trial, uint64_t step, double& loss) {
  for (Window& window : windows_) {
    if (step < window.first || step >= window.last) continue;
    HW_TRY(const HeldOutResult held, trial.held_out({window.seed, step - window.first, 1}, o_.cancel));
    loss = held.loss;
    return &window;
  }
  return nullptr;
}

uint64_t PrecisionMeasure::probe_work() const {
  return o_.budget.kind == PrecisionBudget::Kind::error ? kTimedEvaluations : probe_length();
}
uint64_t PrecisionMeasure::decide_work() const {
  return o_.budget.kind == PrecisionBudget::Kind::error ? kTimedEvaluations : o_.steps;
}

Status PrecisionMeasure::train_full(const Graph& graph) {
  full_graph_ = graph;
  HW_TRY(full_trial_, PrecisionTrial::make(graph, o_.device, assets_, {o_.states, {}, 0}, o_.given));
  std::vector<double> losses;
  for (uint64_t step = 0; step < o_.steps; ++step) {
    HW_CHECK(full_trial_->step(step, o_.steps, o_.cancel));
    if (full_trial_->failed()) return *full_trial_->failed();
    losses.push_back(full_trial_->last_loss());
    double loss = 0;
    HW_TRY(Window* const window, look(*full_trial_, step, loss));
    if (window) window->losses.push_back(loss);
    tick_(1);
  }
  const std::vector<double>& held_out = windows_.back().losses;
  full_side_.bytes = full_trial_->bytes();
  full_side_.loss = mean_of_last(losses);
  full_side_.held_out_loss =
      std::accumulate(held_out.begin(), held_out.end(), 0.0) / static_cast<double>(held_out.size());
  if (o_.budget.kind != PrecisionBudget::Kind::error) return ok();
  HW_TRY(HeldOutResult exact, full_trial_->held_out({deciding_seed_, 0, kErrorBatches}, o_.cancel));
  full_side_.held_out_loss = exact.loss;
  full_outputs_ = std::move(exact.outputs);
  full_states_ = full_trial_->states();
  return ok();
}

Result<PrecisionOutcome> PrecisionMeasure::probe(const Graph& graph) {
  return o_.budget.kind == PrecisionBudget::Kind::error ? evaluate(graph) : train(graph, probe_length(), true);
}

Result<PrecisionOutcome> PrecisionMeasure::decide(const Graph& graph, bool may_end_early) {
  return o_.budget.kind == PrecisionBudget::Kind::error ? evaluate(graph) : train(graph, o_.steps, may_end_early);
}

Result<std::vector<double>> PrecisionMeasure::repeat(const Graph& graph, PrecisionOutcome& outcome) {
  HW_TRY(const std::string trainer, find_trainer(graph));
  std::vector<double> rises{outcome.cost};
  for (int k = 1; k < o_.repeats; ++k) {
    // Seeds that nothing else here uses.
    const SetParam seed{trainer, "seed", ParamValue(static_cast<int64_t>(deciding_seed_ + 2) + k)};
    Graph full = full_graph_, other = graph;
    HW_CHECK(apply_edits(full, {seed}));
    HW_CHECK(apply_edits(other, {seed}));
    WhatIfOptions options;
    options.device = o_.device;
    options.steps = o_.steps;
    options.held_out_seed = deciding_seed_;
    options.start.states = o_.states;
    options.given = o_.given;
    options.cancel = o_.cancel;
    options.progress = [this](const WhatIfProgress&) { tick_(2); };
    HW_TRY(const WhatIfReport report, what_if(full, other, assets_, options));
    if (report.base.failed) return *report.base.failed;
    rises.push_back(report.loss_rise);
  }
  const auto n = static_cast<double>(rises.size());
  if (rises.size() < 2) return rises;
  outcome.cost = std::accumulate(rises.begin(), rises.end(), 0.0) / n;
  double squares = 0;
  for (const double rise : rises) squares += (rise - outcome.cost) * (rise - outcome.cost);
  // Student's t for 95 %, by degrees of freedom.
  constexpr double kStudent[] = {12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26};
  const double t = kStudent[std::min(rises.size() - 2, std::size(kStudent) - 1)];
  outcome.cost_noise = t * std::sqrt(squares / (n * (n - 1)));
  return rises;
}

Status PrecisionMeasure::time_pair(PrecisionTrial& other, uint64_t step, PairedTime& time) {
  // In turns, so that none is always the one with cold caches. Full precision trains on; its results are not used.
  const bool first = (step / kTimedEvery) % 2 == 0;
  const auto step_full = [&] { return full_trial_->step(o_.steps + step, 2 * o_.steps, o_.cancel); };
  if (first) HW_CHECK(step_full());
  HW_CHECK(other.step(step, o_.steps, o_.cancel));
  if (!first) HW_CHECK(step_full());
  if (!other.failed()) time.add(full_trial_->last_ms(), other.last_ms());
  return ok();
}

Result<PrecisionOutcome> PrecisionMeasure::train(const Graph& graph, uint64_t until, bool may_end_early) {
  PrecisionOutcome outcome;
  HW_TRY(const auto trial, PrecisionTrial::make(graph, o_.device, assets_, {o_.states, {}, 0}, o_.given));
  outcome.side.bytes = trial->bytes();
  const auto failed = [&]() -> Result<PrecisionOutcome> {
    outcome.cost = kInf;
    outcome.is_measured = true;
    outcome.side.failed = trial->failed();
    return outcome;
  };
  std::vector<double> losses;
  PairedLoss held_out;
  for (uint64_t step = 0; step < until; ++step) {
    HW_CHECK(step % kTimedEvery == 0 ? time_pair(*trial, step, outcome.time) : trial->step(step, o_.steps, o_.cancel));
    if (trial->failed()) return failed();
    losses.push_back(trial->last_loss());
    tick_(1);
    outcome.too_slow = may_end_early && too_slow_(outcome.side.bytes, outcome.time);
    if (outcome.too_slow) break;
    double loss = 0;
    HW_TRY(const Window* const window, look(*trial, step, loss));
    if (!window) continue;
    if (step == window->first) held_out = {};
    held_out.add(window->losses[step - window->first], loss);
    if (step + 1 < window->last) continue;
    outcome.is_measured = true;
    outcome.cost = held_out.rise();
    outcome.cost_noise = held_out.noise();
    outcome.side.held_out_loss = held_out.other();
    if (!may_end_early) continue;
    if (!std::isfinite(outcome.cost) || outcome.cost > kHopeless * o_.budget.limit + kEarlyNoise) break;
  }
  outcome.side.loss = mean_of_last(losses);
  outcome.side.ms_per_step = outcome.time.other_ms();
  if (losses.size() == o_.steps) full_side_.ms_per_step = outcome.time.base_ms();
  return outcome;
}

Result<PrecisionOutcome> PrecisionMeasure::evaluate(const Graph& graph) {
  PrecisionOutcome outcome;
  HW_TRY(const auto trial, PrecisionTrial::make(graph, o_.device, assets_, {full_states_, {}, 0}, o_.given));
  outcome.side.bytes = trial->bytes();
  HW_TRY(const HeldOutResult held, trial->held_out({deciding_seed_, 0, kErrorBatches}, o_.cancel));
  outcome.is_measured = true;
  outcome.cost = output_error(held.outputs, full_outputs_);
  outcome.side.held_out_loss = held.loss;
  outcome.side.loss = full_side_.loss;
  for (int pair = 0; pair < kTimedEvaluations; ++pair) {
    const HeldOut one{deciding_seed_, 0, 1};
    HW_TRY(const HeldOutResult base, full_trial_->held_out(one, o_.cancel));
    HW_TRY(const HeldOutResult other, trial->held_out(one, o_.cancel));
    outcome.time.add(base.ms, other.ms);
    tick_(1);
  }
  outcome.side.ms_per_step = outcome.time.other_ms();
  full_side_.ms_per_step = outcome.time.base_ms();
  return outcome;
}

}  // namespace hw
