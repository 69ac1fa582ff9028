// A session at work: preparing, steps, checkpoints, snapshots. On the worker's thread.
#include "engine/core/exceptions.h"
#include "engine/train/session_impl.h"

namespace hw {

namespace {

constexpr std::chrono::milliseconds kPublishInterval{33};
constexpr std::chrono::milliseconds kWeightsInterval{100};
constexpr uint64_t kMostAhead = 1000;  // steps whose losses are not read yet

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
  blocked_.reset();
  auto device = make_device_(device_id_);
  if (!device) return fail(device.error());
  auto run = guarded([&] {
    return TrainingRun::make(graph_, *device, *assets_, progress_, initial_.get(), inspection_.node(), true, notes_,
                             ranks_, given_);
  });
  if (!run) return fail(run.error());
  run_ = std::move(*run);
  if (const Status watched = run_->set_watch(watch_); !watched) {
    run_.reset();
    return fail(watched.error());
  }
  inspection_.attach(*run_);
  measurements_.lowered_again();
  if (run_->plan().settings.patience > 0 && !has_split(Split::validation)) {
    const std::string trainer = run_->plan().trainer;
    run_.reset();
    return fail(
        {codes::asset_lacks, trainer,
         "\"patience\" ends the run by the loss on the validation split, and no data set that the loss reads has one.",
         "Set the Dataset's \"validation\" to the share of samples to hold out, or \"patience\" to 0."});
  }
  uint64_t end = 0;  // of the run that goes on
  BestWeights& best = measurements_.best();
  if (const auto from = checkpoints_.from()) {
    const Status restored = restore(*from);
    const bool leaves_device = checkpoints_.leaves_device();
    if (!restored && ((!initial_ && !leaves_device) || !run_->is_compiled())) {
      run_.reset();
      progress_ = {};
      return fail(restored.error());
    }
    if (restored) {
      if (!leaves_device) end = from->steps;
      best.take_over(same_structure(from->graph, graph_) ? from->best : std::nullopt);
      if (leaves_device && extend) best.wait_anew();
    } else if (leaves_device) {
      target_.forget();
      measurements_.forget();
      checkpoints_.forget();
      pace_ = {};
    }
    if (!restored)
      notes_.push_back((leaves_device ? "The run begins anew on " + device_id_ + ": "
                                      : std::string("The weights go on with a new optimiser: ")) +
                       restored.error().text());
    checkpoints_.go_on_from(nullptr);
  } else if (extend) {
    best.wait_anew();
  }
  best.fit(*run_->plan().program);
  // What has ended early goes on for as long as the settings wait.
  if (extend && best.is_out_of_patience(run_->plan().settings.patience)) best.wait_anew();
  if (extend) target_.start(progress_.step, static_cast<uint64_t>(run_->plan().settings.steps), end);
  pace_.rest();
  set_state(next);
}

void Session::Impl::resume() {
  if (progress_.step >= target_.end()) return finish(RunState::finished);
  pace_.rest();
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
    if (ended && measurements_.best().best() && hands_out_best(state_) != shows_best()) {
      take_weights(state_);
      publish();
    }
    return;
  }
  const bool best_shown = shows_best();
  if (!lower_again) measurements_.best().drop();  // losses of another graph are not to be compared
  const RunState before = blocked_.value_or(state_);
  // What failed does not go on by itself.
  const RunState next = before == RunState::failed ? RunState::paused : before;
  prepare(next, false);
  if (state_ == RunState::failed) {
    // The graph is wrong for the moment: wait, and go on as before once it is mended.
    blocked_ = next;
    set_state(next == RunState::running ? RunState::paused : next);
  } else if (best_shown && !measurements_.best().best()) {
    take_weights(state_);
    publish();
  }
}

bool Session::Impl::settles_at(uint64_t step) const {
  const auto evaluate_every = static_cast<uint64_t>(run_->plan().settings.evaluate_every);
  return !run_->is_asynchronous() || step >= target_.end() || ahead_ >= kMostAhead || checkpoints_.is_due(step) ||
         (evaluate_every > 0 && step % evaluate_every == 0) || Clock::now() - published_ >= kPublishInterval;
}

void Session::Impl::fail_step(const Error& error) {
  sound_.suspect();
  inspection_.take_readings(*run_);
  if (error.code == codes::cancelled) return;
  if (watch_) bad_value_ = watch_->explain(*run_, &cancel_);
  take_sound_weights();
  if (!inspection_.node().empty() && error.code == codes::not_finite) inspect_next_step();  // the one that failed
  if (run_->cut_short()) run_.reset();
  fail(bad_value_ ? to_error(*bad_value_) : error);
}

bool Session::Impl::settle() {
  if (std::exchange(ahead_, 0) == 0) return true;
  const Clock::time_point begin = Clock::now();
  const auto outcomes = run_->outcomes();
  pace_.add_since(begin);
  if (!outcomes) {
    fail_step(outcomes.error());
    return false;
  }
  for (const StepOutcome& outcome : *outcomes) {
    if (outcome.error) {
      fail_step(*outcome.error);
      return false;
    }
    progress_.add(outcome, learning_rate_at(run_->plan().settings, outcome.step, target_.end()), pace_.seconds());
  }
  return true;
}

void Session::Impl::step() {
  // Not before: another node makes another executable, and what the last one measured is to be seen at rest.
  if (const Status opened = run_->inspect(inspection_.node()); !opened) return fail(opened.error());
  if (sound_.is_due()) {
    if (!settle()) return;
    sound_.keep(*run_, progress_.step);
  }
  const uint64_t at = progress_.step + ahead_;
  const bool inspects = inspection_.is_due(at + 1 >= target_.end());
  if (inspects) {
    if (!settle()) return;
    inspection_.prepare(*run_, at);
  }
  const Clock::time_point begin = Clock::now();
  const Status begun = run_->advance(at, target_.end(), &cancel_);
  pace_.add_since(begin);
  if (!begun) {
    if (settle()) fail_step(begun.error());
    return;
  }
  ++ahead_;
  if (!(inspects || settles_at(progress_.step + ahead_)) || !settle()) return;
  if (inspects) inspection_.take(*run_, at);
  const Clock::time_point end = Clock::now();
  pace_.mark(end, progress_.step);
  if (progress_.step >= target_.end()) return finish(RunState::finished);  // measures and keeps what is due
  const auto evaluate_every = static_cast<uint64_t>(run_->plan().settings.evaluate_every);
  const bool evaluates = evaluate_every > 0 && progress_.step % evaluate_every == 0;
  if (evaluates) has_split(Split::validation) ? validate() : measure(Split::test);
  // What was measured is part of it.
  if (checkpoints_.is_due(progress_.step)) {
    checkpoint_now();
    if (state_ == RunState::failed) return;
  }
  const BestWeights& best = measurements_.best();
  if (evaluates && best.is_out_of_patience(run_->plan().settings.patience)) {
    notes_.push_back("Stopped early: the loss on the validation split was lowest at step " +
                     std::to_string(best.best()->step) + ".");
    return finish(RunState::finished);
  }
  if (end - published_ < kPublishInterval) return;
  if (publish_weights_ && end - weights_time_ >= kWeightsInterval) take_weights(state_);
  if (inspection_.readings_are_due()) inspection_.take_readings(*run_);
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
  if (!inspection_.node().empty()) inspect_at_rest();
  inspection_.take_readings(*run_);
  set_state(state);
}

RunMeasurements::Of Session::Impl::measured_of() {
  return {*run_, graph_, *assets_, progress_, notes_, &cancel_, [this] { return mailbox_.asks_to_stop(); }};
}

void Session::Impl::measure(Split split) {
  if (measurements_.measure(split, measured_of(), weights_)) pace_.rest();
}

void Session::Impl::validate() {
  if (measurements_.validate(measured_of())) pace_.rest();
}

bool Session::Impl::hands_out_best(RunState state) const {
  return measurements_.best().best() && run_->plan().settings.best_weights &&
         (state == RunState::finished || state == RunState::idle);
}

void Session::Impl::take_weights(RunState state) {
  if (!sound_.are_sound(*run_)) return;
  const Best* best = hands_out_best(state) ? &*measurements_.best().best() : nullptr;
  weights_ = best ? best->weights : run_->read_weights();
  weights_step_ = best ? best->step : progress_.step;
  weights_time_ = Clock::now();
}

void Session::Impl::publish() {
  auto s = std::make_shared<RunSnapshot>();
  s->state = state_;
  s->step = progress_.step;
  s->steps = target_.end();
  s->seconds = pace_.seconds();
  s->loss = progress_.losses.empty() ? 0 : progress_.losses.back();
  s->losses = std::make_shared<const std::vector<float>>(progress_.losses);
  if (state_ != RunState::running) s->history = std::make_shared<const RunHistory>(progress_.history);
  if (!progress_.loss_scales.empty()) {
    s->loss_scale = progress_.loss_scales.back().scale;
    s->loss_scales = std::make_shared<const std::vector<LossScaleEvent>>(progress_.loss_scales);
  }
  if (run_) {
    s->samples_per_s =
        pace_.steps_per_s(state_ == RunState::running, progress_.step) * static_cast<double>(run_->plan().batch);
    s->learning_rate = learning_rate_at(run_->plan().settings, progress_.step, target_.end());
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
  s->instruments = inspection_.readings();
  s->measured = measurements_.last();
  s->measurements = measurements_.all();
  s->best = measurements_.best().best();
  s->inspection = inspection_.tensors();
  s->notes = notes_;
  s->error = error_;
  s->bad_value = bad_value_;
  published_ = Clock::now();
  mailbox_.publish(std::move(s));
  if (on_change_) on_change_();
}

}  // namespace hw
