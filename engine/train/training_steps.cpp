// The steps of a TrainingRun: what they run, and what comes of them.
#include <cmath>

#include "engine/core/exceptions.h"
#include "engine/core/thread_clock.h"
#include "engine/kernels/loss_scale_state.h"
#include "engine/train/training_run.h"

namespace hw {

namespace {

constexpr int kMostSkipped = 50;

/// An error of one rank is that of all.
Status first_error(const std::vector<RankReport>& reports) {
  for (size_t rank = 0; rank < reports.size(); ++rank) {
    if (std::optional<Error> error = reports[rank].error) {
      error->reason = "on rank " + std::to_string(rank) + ": " + error->reason;
      return *error;
    }
  }
  return ok();
}

}  // namespace

Status TrainingRun::run_watched(Executable& executable, const Program& program, const StepInputs& inputs,
                                ValueProbe* probe) {
  if (!watch_ || repeats_) return executable.run(inputs, probe);
  HW_CHECK(watch_->before_run(program, *states_, inputs));
  HW_CHECK(executable.run(inputs, probe));
  return watch_->after_run(program, executable, inputs);
}

Status TrainingRun::run_step(uint64_t step, uint64_t steps, const std::atomic<bool>* cancel, ValueProbe* probe) {
  if (!is_alone() && ranks_->rank() == 0) HW_CHECK(order_step(step, steps));
  StepInputs inputs;
  inputs.seed = plan_.settings.seed;
  inputs.update = step;
  inputs.learning_rate = learning_rate_at(plan_.settings, step, steps);
  inputs.cancel = cancel;
  HW_CHECK(sum_parts(inputs));
  RankPart part;
  Status made = uncut([&]() -> Status {
    if (loss_scale_value_ != kNoValue && begun_.empty())
      scale_ = next_scale_ = states_->read(plan_.trainer + kLossScale).to_f64()[loss_scale_state::kScale];
    if (watch_ && !repeats_) watch_->begin_step(*this, step, steps);
    return run_gradients(inputs, part, probe);
  });
  HW_CHECK(reduce_gradients(std::move(made), part));
  if (updates_) HW_CHECK(run_watched(*updates_, *plan_.updates, inputs, nullptr));
  if (loss_scale_value_ != kNoValue) HW_CHECK(executable_->queue_readback(loss_scale_value_));
  for (const ValueId count : plan_.not_finite) HW_CHECK(updates_->queue_readback(count));
  begun_.push_back({step, std::move(part.losses)});
  ++timed_steps_;
  return ok();
}

Status TrainingRun::uncut(const std::function<Status()>& work) {
  try {
    return work();
  } catch (...) {
    cut_short_ = true;
    return error_of_exception();
  }
}

Status TrainingRun::order_step(uint64_t step, uint64_t steps) {
  RankOrder order{nullptr, step, steps, plan_.settings};
  if (!in_step_) order.start = std::make_shared<const RankStart>(RankStart{*graph_, device_->id(), read_states()});
  in_step_ = true;
  HW_CHECK(ranks_->broadcast(std::move(order)));
  return ok();
}

void TrainingRun::set_batch(StepInputs& inputs, uint64_t batch) const {
  inputs.step = inputs.update_index() * plan_.parts() + ranks_->rank() * plan_.micro_batches() + batch;
  inputs.starts_sums = batch == 0;
}

Status TrainingRun::sum_parts(StepInputs inputs) {
  for (size_t k = 0; k < part_sums_.size(); ++k) {
    std::vector<Tensor> sums;
    const Status made = uncut([&]() -> Status {
      for (uint64_t batch = 0; batch < plan_.micro_batches(); ++batch) {
        set_batch(inputs, batch);
        HW_CHECK(part_sums_[k]->run(inputs, nullptr));
      }
      for (const auto& [name, value] : plan_.part_sums[k].sums) {
        if (is_alone()) break;
        HW_TRY(Tensor sum, part_sums_[k]->read(value));
        sums.push_back(std::move(sum));
      }
      return ok();
    });
    if (is_alone()) {
      HW_CHECK(made);
      continue;
    }
    RankReport report;
    if (!made) report.error = made.error();
    HW_TRY(const std::vector<RankReport> reports, ranks_->all_gather(std::move(report)));
    HW_CHECK(first_error(reports));
    HW_CHECK(ranks_->all_reduce(sums));
    for (size_t s = 0; s < sums.size(); ++s) HW_CHECK(states_->write(plan_.part_sums[k].sums[s].first, sums[s]));
  }
  return ok();
}

Status TrainingRun::run_gradients(StepInputs& inputs, RankPart& part, ValueProbe* probe) {
  const uint64_t batches = plan_.micro_batches();
  for (uint64_t batch = 0; batch < batches; ++batch) {
    set_batch(inputs, batch);
    HW_CHECK(run_watched(*executable_, *plan_.program, inputs, probe));
    if (is_alone()) {
      if (plan_.loss != kNoValue) HW_CHECK(executable_->queue_readback(plan_.loss));
      continue;
    }
    HW_TRY(const Tensor loss, executable_->read(plan_.loss));
    part.report.losses.push_back(loss.to_f64().front());
    for (const ValueId value : plan_.statistics) {
      HW_TRY(Tensor statistic, executable_->read(value));
      part.report.statistics.push_back(std::move(statistic));
    }
  }
  for (const Sum& sum : sums_) {
    HW_TRY(Tensor tensor, executable_->read(sum.value));
    part.sums.push_back(std::move(tensor));
  }
  return ok();
}

Status TrainingRun::reduce_gradients(Status made, RankPart& part) {
  if (is_alone()) return made;
  if (!made) part.report.error = made.error();
  HW_TRY(const std::vector<RankReport> reports, ranks_->all_gather(std::move(part.report)));
  HW_CHECK(first_error(reports));
  // Right behind the other: no rank may leave between the two.
  HW_CHECK(ranks_->all_reduce(part.sums));
  for (size_t k = 0; k < sums_.size(); ++k) HW_CHECK(states_->write(sums_[k].name, part.sums[k]));
  const size_t statistics = plan_.statistics.size();
  for (uint64_t p = 0; p < plan_.parts(); ++p)
    for (size_t k = 0; k < statistics; ++k) {
      const RankReport& report = reports[p / plan_.micro_batches()];
      const Tensor& statistic = report.statistics[p % plan_.micro_batches() * statistics + k];
      HW_CHECK(updates_->write_input(plan_.statistic_of(k, p), statistic));
    }
  for (const RankReport& report : reports)
    part.losses.insert(part.losses.end(), report.losses.begin(), report.losses.end());
  return ok();
}

Result<double> TrainingRun::step(uint64_t step, uint64_t steps, const std::atomic<bool>* cancel) {
  HW_CHECK(advance(step, steps, cancel));
  HW_TRY(const std::vector<StepOutcome> all, outcomes());
  if (all.back().error) return *all.back().error;
  return all.back().loss;
}

Status TrainingRun::repeat(uint64_t first, uint64_t last, uint64_t steps, const std::atomic<bool>* cancel) {
  const auto begin = [this](bool on) {
    repeats_ = on;
    begun_.clear();
    outcomes_.clear();
    skipped_in_a_row_ = 0;
  };
  begin(true);
  Status done = ok();
  for (uint64_t k = first; k < last && done; ++k) {
    if (const auto loss = this->step(k, steps, cancel); !loss) done = loss.error();
  }
  begin(false);
  return done;
}

Status TrainingRun::advance(uint64_t step, uint64_t steps, const std::atomic<bool>* cancel) {
  const bool looks = instruments_ && !repeats_;
  ValueProbe* probe = looks ? instruments_->begin_step(step, *states_, step + 1 == steps) : nullptr;
  if (probe || watch_) HW_CHECK(settle());
  if (!outcomes_.empty() && outcomes_.back().error) return ok();
  // Steps on the host are counted in processor time: else looking would take more of it while they wait for a core.
  const auto clock = executable_->is_asynchronous() ? steady_seconds : thread_seconds;
  const double begin = clock();
  const Status ran = uncut([&] { return run_step(step, steps, cancel, probe); });
  if (!ran) {
    in_step_ = false;
    (void)settle();
    (void)executable_->take_readbacks();  // of its micro-batches so far
    if (updates_) (void)updates_->take_readbacks();
    Error error = ran.error();
    if (error.where.empty()) error.where = plan_.trainer;
    return error;
  }
  if (probe || watch_) HW_CHECK(settle());
  if (looks) instruments_->end_step(clock() - begin, scale_, *states_);
  return ok();
}

Status TrainingRun::settle() {
  if (begun_.empty()) return ok();
  const std::vector<Begun> steps = std::exchange(begun_, {});
  HW_TRY(const std::vector<Tensor> values, executable_->take_readbacks());
  std::vector<Tensor> counts;
  if (updates_) {
    HW_TRY(counts, updates_->take_readbacks());
  }
  size_t next = 0, next_count = 0;
  for (const Begun& begun : steps) {
    if (!outcomes_.empty() && outcomes_.back().error) break;
    std::vector<double> losses = begun.losses;
    for (uint64_t batch = 0; is_alone() && batch < plan_.micro_batches(); ++batch)
      losses.push_back(plan_.loss == kNoValue ? 0 : values[next++].to_f64().front());
    double sum = 0;
    for (const double loss : losses) sum += loss;
    std::vector<double> scale;
    if (loss_scale_value_ != kNoValue) scale = values[next++].to_f64();
    std::vector<double> bad;
    for (size_t k = 0; k < plan_.not_finite.size(); ++k) {
      const std::vector<double> some = counts[next_count++].to_f64();
      bad.insert(bad.end(), some.begin(), some.end());
    }
    outcomes_.push_back(judge(begun.step, sum / static_cast<double>(losses.size()), scale, bad));
  }
  return ok();
}

Result<std::vector<StepOutcome>> TrainingRun::outcomes() {
  const double begin = steady_seconds();
  HW_CHECK(settle());
  if (instruments_) instruments_->waited(steady_seconds() - begin);
  return std::exchange(outcomes_, {});
}

StepOutcome TrainingRun::judge(uint64_t step, double loss, const std::vector<double>& scale,
                               const std::vector<double>& bad) {
  StepOutcome outcome{step, loss, {}, {}};
  scale_ = next_scale_;
  if (!std::isfinite(loss)) {  // no loss scale mends the forward pass
    const std::string what = std::isnan(loss) ? "NaN" : "infinite";
    outcome.error =
        step == 0  // no update was made yet, so that no learning rate is at fault
            ? Error{codes::not_finite, plan_.trainer, "the loss is " + what + " at step 1, before any update.",
                    "Look for the first bad value, or widen the dtype of the nodes before it; then reset."}
            : Error{codes::not_finite, plan_.trainer,
                    "the loss became " + what + " at step " + std::to_string(step + 1) + ".",
                    "Lower the learning rate, clip gradients, or widen the dtype of the nodes before it; then reset."};
    return outcome;
  }
  outcome.error = bad_update(step, bad);
  if (outcome.error || scale.empty()) return outcome;
  next_scale_ = scale[loss_scale_state::kScale];
  outcome.loss_scale = loss_scale_event(step, scale);
  const bool may_fall = plan_.settings.loss_scaling == TrainSettings::LossScaling::dynamic && scale_ > 1;
  skipped_in_a_row_ = outcome.loss_scale->skipped && !may_fall ? skipped_in_a_row_ + 1 : 0;
  if (skipped_in_a_row_ >= kMostSkipped) {
    outcome.error = Error{codes::not_finite, outcome.loss_scale->param,
                          std::to_string(kMostSkipped) +
                              " steps in a row were left out: its gradient is Inf or NaN at a loss scale of " +
                              std::to_string(scale_) + ", which does not fall.",
                          "Lower loss_scale, make it dynamic, or widen the dtype of the nodes before it."};
  }
  return outcome;
}

std::optional<Error> TrainingRun::bad_update(uint64_t step, const std::vector<double>& bad) const {
  double elements = 0, params = 0;
  std::string last;  // the nearest to the loss: parameters stand in the order of the forward pass
  for (size_t k = 0; k < bad.size(); ++k) {
    if (bad[k] <= 0) continue;
    elements = bad[k];
    ++params;
    last = plan_.updated[k];
  }
  if (params == 0) return std::nullopt;
  std::string reason = "the update of step " + std::to_string(step + 1) + " made " +
                       std::to_string(static_cast<int64_t>(elements)) + " of its elements Inf or NaN";
  if (params > 1) reason += ", and some of " + std::to_string(static_cast<int64_t>(params) - 1) + " other parameters";
  return Error{
      codes::not_finite, last, reason + ".",
      "Look for the first bad value, clip gradients, lower the learning rate, or widen its dtype; then reset."};
}

LossScaleEvent TrainingRun::loss_scale_event(uint64_t step, const std::vector<double>& state) const {
  LossScaleEvent event;
  event.step = step;
  event.scale = state[loss_scale_state::kScale];
  for (size_t k = 0; k < plan_.scaled.size(); ++k) {
    const double bad = state[loss_scale_state::kBadCounts + k];
    if (bad <= 0) continue;
    event.skipped = true;
    event.bad += static_cast<int64_t>(bad);
    event.param = plan_.scaled[k];  // parameters stand in the order of the forward pass
  }
  return event;
}

}  // namespace hw
