// A session's states put aside and taken up again: checkpoints, and the last sound states of a run that failed.
#include <limits>

#include "engine/train/session_impl.h"

namespace hw {

Status Session::Impl::restore() {
  const Checkpoint& c = *checkpoint_;
  if (!c.unsound.empty()) {
    return Error{codes::not_finite, "", "the checkpoint is not sound: " + c.unsound + ".",
                 "Resume from an older one, or train anew."};
  }
  HW_CHECK(run_->restore(c, &notes_));
  progress_.step = c.step;
  progress_.losses = c.losses;
  progress_.loss_scales = c.loss_scales;
  progress_.history = c.history;
  measurements_ = std::make_shared<const std::vector<RunHistory::Metrics>>(c.history.metrics);
  progress_.history.learning_rates.resize(c.step, std::numeric_limits<float>::quiet_NaN());
  progress_.history.seconds.resize(c.step, std::numeric_limits<float>::quiet_NaN());
  elapsed_ = c.seconds;
  checkpointed_ = c.step;
  const auto trainer = find_trainer(c.graph);
  const bool same_settings =
      trainer && *trainer == run_->plan().trainer && c.graph.find(*trainer)->params == graph_.find(*trainer)->params;
  if (!same_structure(c.graph, graph_) || !same_settings)
    notes_.push_back("The graph is not what it was at the checkpoint; the run goes on with the graph as it is now.");
  if (c.device != device_id_)
    notes_.push_back("The checkpoint was made on device " + c.device + "; " + device_id_ + " rounds otherwise.");
  return ok();
}

std::shared_ptr<const Checkpoint> Session::Impl::make_checkpoint(uint64_t every) {
  if (!run_ || progress_.step == 0 || state_ == RunState::failed || !is_sound()) return nullptr;
  if (const Status sound = run_->check_statistics(); !sound) {
    fail_step(sound.error());
    return nullptr;
  }
  auto c = std::make_shared<Checkpoint>();
  c->states = run_->read_states();
  c->losses = progress_.losses;
  c->loss_scales = progress_.loss_scales;
  c->history = progress_.history;
  c->step = progress_.step;
  c->steps = target_;
  c->seed = run_->plan().settings.seed;
  c->seconds = elapsed_;
  c->every = every;
  c->device = device_id_;
  c->graph = graph_;
  c->best = best_;
  if (every == 0) c->weights = hands_out_best(state_) ? best_->weights : run_->read_weights();
  return c;
}

void Session::Impl::checkpoint_now() {
  if (every_ == 0 || checkpointed_ == progress_.step) return;
  auto checkpoint = make_checkpoint(every_);
  if (!checkpoint) return;
  checkpointed_ = progress_.step;
  every_sink_(std::move(checkpoint));
}

void Session::Impl::take_sound_weights() {
  const auto reached = sound_.restore(*run_, progress_.step, target_, &cancel_);
  if (!reached) return;
  suspect_ = false;
  progress_.step = *reached;  // fewer than were done where steps could not be run again
  progress_.losses.resize(*reached);
  progress_.history.learning_rates.resize(*reached);
  progress_.history.seconds.resize(*reached);
  take_weights(RunState::failed);
  if (*reached > 0)
    notes_.push_back("The weights are those after step " + std::to_string(*reached) +
                     ", the last that are sound: the step after it failed.");
}

}  // namespace hw
