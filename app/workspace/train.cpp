#include "app/workspace/train.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "engine/devices/devices.h"
#include "engine/train/first_bad_value.h"

namespace hw::workspace {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{20};  // at progress and `cancel`

/// Wakes who waits when a session has changed.
class Changes {
 public:
  /// On the session's thread.
  void note() {
    { const std::lock_guard lock(mutex_); }  // who is about to wait has looked, or waits
    changed_.notify_all();
  }
  /// At most `time`, or until a change after which `done` holds.
  template <class F>
  void wait(std::chrono::milliseconds time, const F& done) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, time, done);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
};

void begin(Session& session, TrainingRequest& request) {
  session.publish_weights_while_running(false);
  if (request.weights) session.load_weights(request.weights);
  if (request.checkpoint) session.load_checkpoint(request.checkpoint);
  if (request.checkpoint_every > 0) session.checkpoint_every(request.checkpoint_every, request.checkpoint_sink);
  if (request.halt_on_nonfinite) session.watch(watch_for_bad_values());
  session.instruments(request.instruments);
  if (!request.given.empty()) session.give(std::move(request.given));
  if (!request.inspect.empty()) session.inspect(request.inspect);
  if (request.ends) {
    session.end(std::move(request.graph), request.device);
  } else {
    session.start(std::move(request.graph), request.device, request.steps);
  }
}

}  // namespace

TrainingResult train_to_end(TrainingRequest request, const std::function<void(const RunSnapshot&)>& progress,
                            const std::atomic<bool>* cancel) {
  const auto began = std::chrono::steady_clock::now();
  Changes changes;
  Session session(
      request.assets, [&] { changes.note(); }, make_device, one_rank(), request.threads);
  begin(session, request);
  TrainingResult result;
  const auto has_ended = [&] {
    const RunState state = session.snapshot()->state;
    return state == RunState::finished || state == RunState::failed || (result.interrupted && state == RunState::idle);
  };
  while (!has_ended()) {
    const auto now = session.snapshot();
    if (progress && now->state == RunState::running) progress(*now);
    if (cancel && *cancel && !result.interrupted) {
      result.interrupted = true;
      session.stop();
    }
    changes.wait(kBetweenLooks, has_ended);
  }
  if (request.keep_states)
    session.take_checkpoint([&](std::shared_ptr<const Checkpoint> states) { result.states = std::move(states); });
  session.wait();  // for a stop that is not served yet, the states and the last inspection
  result.last = session.snapshot();
  result.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  if (progress && result.last->state != RunState::failed) progress(*result.last);
  return result;
}

uint64_t skipped_steps(const RunSnapshot& s) {
  if (!s.loss_scales) return 0;
  return static_cast<uint64_t>(
      std::count_if(s.loss_scales->begin(), s.loss_scales->end(), [](const LossScaleEvent& e) { return e.skipped; }));
}

}  // namespace hw::workspace
