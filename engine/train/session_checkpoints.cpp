// A session's states put aside and taken up again: checkpoints, and the last sound states of a run that failed.
#include <algorithm>

#include "engine/core/exceptions.h"
#include "engine/core/magnitudes.h"
#include "engine/train/session_impl.h"

namespace hw {

/// Whether none of these parameters, nor a state of theirs, holds NaN, which a GPU that failed gives, or Inf.
static bool are_finite(const std::vector<std::string>& params, const std::map<std::string, Tensor>& states) {
  return std::ranges::all_of(states, [&](const auto& state) {
    const bool is_theirs = std::ranges::find(params, state.first.substr(0, state.first.find('#'))) != params.end();
    return !is_theirs || magnitudes_of(state.second).finite();
  });
}

Status Session::Impl::restore(const Checkpoint& c) {
  if (!c.unsound.empty()) {
    return Error{codes::not_finite, "", "the checkpoint is not sound: " + c.unsound + ".",
                 "Resume from an older one, or train anew."};
  }
  HW_CHECK(run_->restore(c, &notes_));
  progress_.take_over(c);
  progress_.begun = run_->plan().begun;
  measurements_.take_over(c.history);
  pace_.set_seconds(c.seconds);
  checkpoints_.are_there(c.step);
  const auto trainer = find_trainer(c.graph);
  const bool same_settings =
      trainer && *trainer == run_->plan().trainer && c.graph.find(*trainer)->params == graph_.find(*trainer)->params;
  if (!same_structure(c.graph, graph_) || !same_settings)
    notes_.push_back("The graph is not what it was at the checkpoint; the run goes on with the graph as it is now.");
  if (c.device != device_id_)
    notes_.push_back("The weights were trained on device " + c.device + "; " + device_id_ + " rounds otherwise.");
  return ok();
}

std::shared_ptr<const Checkpoint> Session::Impl::make_checkpoint(uint64_t every) {
  return state_ == RunState::failed ? nullptr : copy_of_run(every, every == 0);
}

std::shared_ptr<const Checkpoint> Session::Impl::copy_of_run(uint64_t every, bool with_weights) {
  if (!run_ || progress_.step == 0 || !sound_.are_sound(*run_)) return nullptr;
  if (const Status sound = run_->check_statistics(); !sound) {
    fail_step(sound.error());
    return nullptr;
  }
  auto c = std::make_shared<Checkpoint>();
  c->states = run_->read_states();
  c->begun = run_->plan().begun;
  c->losses = progress_.losses;
  c->loss_scales = progress_.loss_scales;
  c->history = progress_.history;
  c->step = progress_.step;
  c->steps = target_.end();
  c->seed = run_->plan().settings.seed;
  c->seconds = pace_.seconds();
  c->every = every;
  c->device = device_id_;
  c->graph = graph_;
  c->best = measurements_.best().best();
  if (with_weights) c->weights = hands_out_best(state_) ? c->best->weights : run_->read_weights();
  return c;
}

void Session::Impl::leave_device() {
  if (!progress_.states) return;
  // Where memory lacks, the run begins anew, with a note.
  (void)guarded([&]() -> Status {
    if (auto here = copy_of_run(0, false); here && are_finite(run_->plan().updated, here->states)) {
      checkpoints_.leave_device(std::move(here));
      progress_ = {};
    }
    return ok();
  });
  progress_.states.reset();
}

void Session::Impl::checkpoint_now() {
  if (!checkpoints_.lacks(progress_.step)) return;
  if (auto checkpoint = make_checkpoint(checkpoints_.every())) checkpoints_.hand_out(std::move(checkpoint));
}

void Session::Impl::take_sound_weights() {
  const auto reached = sound_.restore(*run_, progress_.step, target_.end(), &cancel_);
  if (!reached) return;
  progress_.go_back(*reached);  // fewer than were done where steps could not be run again
  take_weights(RunState::failed);
  if (*reached > 0)
    notes_.push_back("The weights are those after step " + std::to_string(*reached) +
                     ", the last that are sound: the step after it failed.");
}

}  // namespace hw
