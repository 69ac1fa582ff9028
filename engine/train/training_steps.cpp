// The steps of a TrainingRun: what they run, and what comes of them.
#include "engine/core/exceptions.h"
#include "engine/core/thread_clock.h"
#include "engine/train/training_run.h"

namespace hw {

Status TrainingRun::run_watched(Executable& executable, const Program& program, const StepInputs& inputs,
                                ValueProbe* probe) {
  if (!watch_ || repeats_) return executable.run(inputs, probe);
  HW_CHECK(watch_->before_run(program, *states_, inputs));
  HW_CHECK(executable.run(inputs, probe));
  return watch_->after_run(program, executable, inputs);
}

Status TrainingRun::run_step(const StepOfRun& at, ValueProbe* probe) {
  HW_CHECK(exchange_->order(at.step, at.steps, plan_.settings, [this] {
    return RankStart{*graph_, device_->id(), read_states(), plan_.begun};
  }));
  std::vector<double> losses;
  for (const StepStage& stage : stages_of(plan_, at)) {
    switch (stage.kind) {
      case StepStage::Kind::part_sums:
        HW_CHECK(sum_parts(stage));
        break;
      case StepStage::Kind::gradients: {
        HW_TRY(losses, make_gradients(stage, at, probe));
        break;
      }
      case StepStage::Kind::updates:
        for (const StepInputs& inputs : stage.runs) HW_CHECK(run_watched(*updates_, *plan_.updates, inputs, nullptr));
        break;
    }
  }
  HW_CHECK(results_.begin(plan_, at.step, std::move(losses), *executable_, updates_.get()));
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

Status TrainingRun::sum_parts(const StepStage& stage) {
  const PartSums& sums = plan_.part_sums[stage.part_sums];
  Executable& executable = *part_sums_[stage.part_sums];
  exchange_->begin_part();
  Status made = uncut([&]() -> Status {
    for (const StepInputs& inputs : stage.runs) HW_CHECK(executable.run(inputs));
    return exchange_->take_part_sums(sums, executable);
  });
  return exchange_->add_part_sums(std::move(made), sums, *states_);
}

Result<std::vector<double>> TrainingRun::make_gradients(const StepStage& stage, const StepOfRun& at,
                                                        ValueProbe* probe) {
  exchange_->begin_part();
  Status made = uncut([&]() -> Status {
    results_.begin_scale(plan_, *states_);
    if (watch_ && !repeats_) watch_->begin_step(*this, at.step, at.steps);
    for (const StepInputs& inputs : stage.runs) {
      HW_CHECK(run_watched(*executable_, *plan_.program, inputs, probe));
      HW_CHECK(exchange_->is_alone() ? results_.queue_loss(plan_, *executable_)
                                     : exchange_->take_batch(plan_, *executable_));
    }
    return exchange_->take_gradients(*executable_);
  });
  HW_CHECK(exchange_->add_gradients(std::move(made), plan_, updates_.get(), *states_));
  return exchange_->take_losses();
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
    results_.clear();
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
  if (results_.failed()) return ok();
  // Steps on the host are counted in processor time: else looking would take more of it while they wait for a core.
  const auto clock = executable_->is_asynchronous() ? steady_seconds : thread_seconds;
  const double begin = clock();
  const Status ran = uncut([&] { return run_step({step, steps, exchange_->rank(), cancel}, probe); });
  if (!ran) {
    exchange_->lose_step();
    results_.drop_step(plan_, *executable_, updates_.get());
    Error error = ran.error();
    if (error.where.empty()) error.where = plan_.trainer;
    return error;
  }
  if (probe || watch_) HW_CHECK(settle());
  if (looks) instruments_->end_step(clock() - begin, results_.scale(), *states_);
  return ok();
}

Status TrainingRun::settle() {
  return executable_ ? results_.settle(plan_, *executable_, updates_.get()) : ok();
}

Result<std::vector<StepOutcome>> TrainingRun::outcomes() {
  const double begin = steady_seconds();
  HW_CHECK(settle());
  if (instruments_) instruments_->waited(steady_seconds() - begin);
  return results_.take();
}

}  // namespace hw
