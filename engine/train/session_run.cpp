// A session at work: preparing, steps, checkpoints, snapshots. On the worker's thread.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/core/exceptions.h"
#include "engine/train/session_impl.h"

namespace hw {

namespace {

constexpr std::chrono::milliseconds kPublishInterval{33};
constexpr std::chrono::milliseconds kWeightsInterval{100};
constexpr std::chrono::milliseconds kInspectionInterval{200};
constexpr std::chrono::milliseconds kReadingsInterval{200};
constexpr uint64_t kMostAhead = 1000;     // steps whose losses are not read yet
constexpr int kInspectionCostShare = 20;  // an inspection of t seconds is repeated after 20 t: at most 5 % of the time

double seconds(std::chrono::steady_clock::duration d) {
  return std::chrono::duration<double>(d).count();
}

/// Whether these are all parameters of the run, in their sizes.
bool holds_parameters(const TrainingRun& run, const std::map<std::string, Tensor>& weights) {
  const Program& program = *run.plan().program;
  return std::all_of(program.params.begin(), program.params.end(), [&](const Param& param) {
    const auto found = weights.find(param.name);
    return found != weights.end() && found->second.dims() == program[param.view].dims;
  });
}

/// The first data set that a program draws from; null: none.
std::shared_ptr<const Dataset> data_of(const Program& program) {
  for (const Instr& instr : program.instrs)
    if (const auto* rows = std::get_if<SampleRowsAttr>(&instr.attr)) return rows->data;
  return nullptr;
}

}  // namespace

void Session::Impl::prepare(RunState next, bool extend) {
  set_state(RunState::preparing);
  error_.reset();
  bad_value_.reset();
  notes_.clear();
  run_.reset();
  sound_.drop();
  blocked_ = false;
  auto device = make_device_(device_id_);
  if (!device) return fail(device.error());
  auto run = guarded([&] {
    return TrainingRun::make(graph_, *device, *assets_, progress_, initial_.get(), inspected_, true, notes_, ranks_,
                             given_);
  });
  if (!run) return fail(run.error());
  run_ = std::move(*run);
  if (const Status watched = run_->set_watch(watch_); !watched) {
    run_.reset();
    return fail(watched.error());
  }
  run_->set_instruments(instruments_, readings_ ? readings_->gradients.get() : nullptr);
  readings_.reset();
  metrics_.clear();
  if (run_->plan().settings.patience > 0 && !has_split(Split::validation)) {
    const std::string trainer = run_->plan().trainer;
    run_.reset();
    return fail(
        {codes::asset_lacks, trainer,
         "\"patience\" ends the run by the loss on the validation split, and no data set that the loss reads has one.",
         "Set the Dataset's \"validation\" to the share of samples to hold out, or \"patience\" to 0."});
  }
  uint64_t end = 0;  // of the run that goes on
  if (checkpoint_) {
    const Status restored = restore();
    if (!restored && !initial_) {
      run_.reset();
      progress_ = {};
      return fail(restored.error());
    }
    if (restored) {
      end = checkpoint_->steps;
      best_ = same_structure(checkpoint_->graph, graph_) ? checkpoint_->best : std::nullopt;
    }
    if (!restored) notes_.push_back("The weights go on with a new optimiser: " + restored.error().text());
    checkpoint_.reset();
  } else if (extend && best_) {
    best_->measured = 0;
  }
  if (best_ && !holds_parameters(*run_, *best_->weights)) best_.reset();
  // What has ended early goes on for as long as the settings wait.
  const int64_t patience = run_->plan().settings.patience;
  if (extend && best_ && patience > 0 && best_->measured >= static_cast<uint64_t>(patience)) best_->measured = 0;
  if (extend) {
    const uint64_t steps = requested_steps_ ? requested_steps_ : static_cast<uint64_t>(run_->plan().settings.steps);
    if (end <= progress_.step) end = began_ + steps;  // of a run that was stopped
    const bool completes = requested_steps_ == 0 && end > progress_.step;
    if (!completes) began_ = progress_.step;
    target_ = completes ? end : began_ + steps;
  }
  rate_.clear();
  set_state(next);
}

void Session::Impl::resume() {
  if (progress_.step >= target_) return finish(RunState::finished);
  rate_.clear();
  set_state(RunState::running);
}

void Session::Impl::update(Graph graph, bool lower_again) {
  if (!run_ && !blocked_) return;
  const bool structural = lower_again || blocked_ || !same_structure(graph_, graph);
  graph_ = std::move(graph);
  if (!structural) {
    run_->set_settings(train_settings(*graph_.find(run_->plan().trainer)));
    sound_.drop();
    const bool ended = state_ == RunState::finished || state_ == RunState::idle;
    if (ended && best_ && hands_out_best(state_) != (weights_ == best_->weights)) {
      take_weights(state_);
      publish();
    }
    return;
  }
  const bool best_shown = best_ && weights_ == best_->weights;
  if (!lower_again) best_.reset();  // losses of another graph are not to be compared
  const RunState before = blocked_ ? blocked_state_ : state_;
  // What failed does not go on by itself.
  const RunState next = before == RunState::failed ? RunState::paused : before;
  prepare(next, false);
  if (state_ == RunState::failed) {
    // The graph is wrong for the moment: wait, and go on as before once it is mended.
    blocked_ = true;
    blocked_state_ = next;
    set_state(next == RunState::running ? RunState::paused : next);
  } else if (best_shown && !best_) {
    take_weights(state_);
    publish();
  }
}

bool Session::Impl::settles_at(uint64_t step) const {
  const auto evaluate_every = static_cast<uint64_t>(run_->plan().settings.evaluate_every);
  return !run_->is_asynchronous() || step >= target_ || ahead_ >= kMostAhead || (every_ > 0 && step % every_ == 0) ||
         (evaluate_every > 0 && step % evaluate_every == 0) || Clock::now() - published_ >= kPublishInterval;
}

void Session::Impl::fail_step(const Error& error) {
  suspect_ = true;
  take_readings();
  if (error.code == codes::cancelled) return;
  if (watch_) bad_value_ = watch_->explain(*run_, &cancel_);
  take_sound_weights();
  if (!inspected_.empty() && error.code == codes::not_finite) inspect_next_step();  // the one that failed
  if (run_->cut_short()) run_.reset();
  fail(bad_value_ ? to_error(*bad_value_) : error);
}

bool Session::Impl::settle() {
  if (std::exchange(ahead_, 0) == 0) return true;
  const Clock::time_point begin = Clock::now();
  const auto outcomes = run_->outcomes();
  elapsed_ += seconds(Clock::now() - begin);
  if (!outcomes) {
    fail_step(outcomes.error());
    return false;
  }
  for (const StepOutcome& outcome : *outcomes) {
    if (outcome.error) {
      fail_step(*outcome.error);
      return false;
    }
    progress_.losses.push_back(static_cast<float>(outcome.loss));
    const double rate = learning_rate_at(run_->plan().settings, outcome.step, target_);
    progress_.history.learning_rates.push_back(static_cast<float>(rate));
    progress_.history.seconds.push_back(static_cast<float>(elapsed_));
    if (const auto& event = outcome.loss_scale) {
      auto& events = progress_.loss_scales;
      if (events.empty() || event->skipped || event->scale != events.back().scale) events.push_back(*event);
    }
    ++progress_.step;
  }
  return true;
}

void Session::Impl::step() {
  // Not before: another node makes another executable, and what the last one measured is to be seen at rest.
  if (const Status opened = run_->inspect(inspected_); !opened) return fail(opened.error());
  if (sound_.is_due()) {
    if (!settle()) return;
    sound_.keep(*run_, progress_.step);
  }
  const uint64_t at = progress_.step + ahead_;
  double preparing = 0;
  const bool inspects = !inspected_.empty() && (at + 1 >= target_ || Clock::now() >= next_inspection_);
  if (inspects) {
    if (!settle()) return;
    const Clock::time_point before = Clock::now();
    run_->prepare_inspection(at);
    preparing = seconds(Clock::now() - before);
  }
  const Clock::time_point begin = Clock::now();
  const Status begun = run_->advance(at, target_, &cancel_);
  elapsed_ += seconds(Clock::now() - begin);
  if (!begun) {
    if (settle()) fail_step(begun.error());
    return;
  }
  ++ahead_;
  if (!(inspects || settles_at(progress_.step + ahead_)) || !settle()) return;
  if (inspects) take_inspection(*run_, at, preparing);
  const Clock::time_point end = Clock::now();
  rate_.push_back({end, progress_.step});
  while (rate_.size() > 2 && end - rate_.front().first > std::chrono::seconds(1)) rate_.pop_front();
  if (progress_.step >= target_) return finish(RunState::finished);  // measures and keeps what is due
  const auto evaluate_every = static_cast<uint64_t>(run_->plan().settings.evaluate_every);
  const bool evaluates = evaluate_every > 0 && progress_.step % evaluate_every == 0;
  if (evaluates) has_split(Split::validation) ? validate() : measure(Split::test);
  // What was measured is part of it.
  if (every_ > 0 && progress_.step % every_ == 0) {
    checkpoint_now();
    if (state_ == RunState::failed) return;
  }
  if (evaluates) {
    const auto patience = static_cast<uint64_t>(run_->plan().settings.patience);
    if (patience > 0 && best_ && best_->measured >= patience) {
      notes_.push_back("Stopped early: the loss on the validation split was lowest at step " +
                       std::to_string(best_->step) + ".");
      return finish(RunState::finished);
    }
  }
  if (end - published_ < kPublishInterval) return;
  if (publish_weights_ && end - weights_time_ >= kWeightsInterval) take_weights(state_);
  if (end - readings_time_ >= kReadingsInterval) take_readings();
  publish();
}

void Session::Impl::finish(RunState state) {
  if (!settle()) return;
  if (state_ != RunState::failed) {
    if (const Status sound = run_->check_statistics(); !sound) return fail_step(sound.error());
  }
  if (state == RunState::finished && has_split(Split::validation)) validate();
  checkpoint_now();
  take_weights(state);
  if (state == RunState::finished) measure(Split::test);
  if (!inspected_.empty()) inspect_at_rest();
  take_readings();
  set_state(state);
}

SplitMetrics* Session::Impl::metrics_of(Split split) {
  const auto found = metrics_.find(split);
  if (found != metrics_.end()) return found->second.get();
  std::unique_ptr<SplitMetrics>& kept = metrics_[split];
  if (!has_split(split) && has_split(Split::validation)) return nullptr;  // validated, and never tested
  auto made = SplitMetrics::make(graph_, run_->plan().trainer, split, run_->device(), *assets_, run_->states(), notes_);
  if (made)
    kept = std::move(*made);
  else
    notes_.push_back("Metrics are not measured: " + made.error().text());
  return kept.get();
}

void Session::Impl::measure(Split split) {
  SplitMetrics* metrics = metrics_of(split);
  if (!metrics) return;
  const bool best = split == Split::test && best_ && weights_ == best_->weights;
  Measurement measured;
  const Status done = run_->with_weights(best ? weights_.get() : nullptr, [&]() -> Status {
    const auto stopped = [this] {
      const std::lock_guard lock(mutex_);
      return requests_.stop || requests_.reset;
    };
    HW_TRY(measured, metrics->measure(run_->plan().settings.seed, &cancel_, stopped));
    return ok();
  });
  if (!done) return;  // cancelled, or what the next step reports
  measured.step = best ? best_->step : progress_.step;
  if (measured.loss || !measured.numbers.empty()) {
    progress_.history.metrics.push_back({progress_.step, measured.numbers, split, measured.loss});
    measurements_ = std::make_shared<const std::vector<RunHistory::Metrics>>(progress_.history.metrics);
  }
  measured_ = std::make_shared<const Measurement>(std::move(measured));
  rate_.clear();
}

void Session::Impl::validate() {
  const auto is_measured = [this] {
    return measured_ && measured_->split == Split::validation && measured_->step == progress_.step;
  };
  if (is_measured()) return;
  measure(Split::validation);
  if (!is_measured()) return;
  const double loss = *measured_->loss;
  if (std::isfinite(loss) && (!best_ || loss < best_->loss))
    best_ = Best{loss, progress_.step, 0, run_->read_weights()};
  else if (best_)
    ++best_->measured;
}

bool Session::Impl::hands_out_best(RunState state) const {
  return best_ && run_->plan().settings.best_weights && (state == RunState::finished || state == RunState::idle);
}

void Session::Impl::take_weights(RunState state) {
  if (!is_sound()) return;
  const bool best = hands_out_best(state);
  weights_ = best ? best_->weights : run_->read_weights();
  weights_step_ = best ? best_->step : progress_.step;
  weights_time_ = Clock::now();
}

void Session::Impl::take_inspection(const TrainingRun& run, uint64_t step, double preparing) {
  const Clock::time_point begin = Clock::now();
  auto inspection = run.read_inspection(step);
  if (inspection) inspection_ = *inspection;
  const Clock::time_point end = Clock::now();
  const auto took = end - begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(preparing));
  next_inspection_ = end + std::max<Clock::duration>(kInspectionInterval, kInspectionCostShare * took);
}

void Session::Impl::take_readings() {
  readings_ = run_->readings();
  readings_time_ = Clock::now();
}

void Session::Impl::publish() {
  auto s = std::make_shared<RunSnapshot>();
  s->state = state_;
  s->step = progress_.step;
  s->steps = target_;
  s->seconds = elapsed_;
  s->loss = progress_.losses.empty() ? 0 : progress_.losses.back();
  s->losses = std::make_shared<const std::vector<float>>(progress_.losses);
  if (state_ != RunState::running) s->history = std::make_shared<const RunHistory>(progress_.history);
  if (!progress_.loss_scales.empty()) {
    s->loss_scale = progress_.loss_scales.back().scale;
    s->loss_scales = std::make_shared<const std::vector<LossScaleEvent>>(progress_.loss_scales);
  }
  if (run_) {
    const auto batch = static_cast<double>(run_->plan().batch);
    if (state_ == RunState::running && rate_.size() > 1) {
      const double time = seconds(rate_.back().first - rate_.front().first);
      s->samples_per_s = time > 0 ? static_cast<double>(rate_.back().second - rate_.front().second) * batch / time : 0;
    } else if (elapsed_ > 0) {
      s->samples_per_s = static_cast<double>(progress_.step) * batch / elapsed_;
    }
    s->learning_rate = learning_rate_at(run_->plan().settings, progress_.step, target_);
    s->node_ms = run_->node_ms();
    s->node_kernels = run_->node_kernels();
    s->node_memory = node_memory_of(*run_->plan().program);
    if (const auto data = data_of(*run_->plan().program)) s->class_names = data->class_names;
    s->transfers = run_->transfers();
    s->memory_bytes = run_->memory_bytes();
    s->states_bytes = run_->states_bytes();
  }
  s->weights = weights_;
  s->weights_step = weights_step_;
  s->instruments = readings_;
  s->measured = measured_;
  s->measurements = measurements_;
  s->best = best_;
  s->inspection = inspection_;
  s->notes = notes_;
  s->error = error_;
  s->bad_value = bad_value_;
  published_ = Clock::now();
  {
    const std::lock_guard lock(mutex_);
    if (generation_ == requested_generation_) snapshot_ = std::move(s);
  }
  if (on_change_) on_change_();
}

}  // namespace hw
