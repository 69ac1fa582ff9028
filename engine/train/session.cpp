#include "engine/train/session.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "engine/core/codes.h"
#include "engine/core/exceptions.h"
#include "engine/core/parallel.h"
#include "engine/program/device_id.h"
#include "engine/train/session_impl.h"

namespace hw {

Session::Impl::Impl(std::shared_ptr<Assets> assets, std::function<void()> on_change, MakeDevice devices,
                    std::shared_ptr<Communicator> ranks, int threads)
    : assets_(std::move(assets)),
      on_change_(std::move(on_change)),
      make_device_(std::move(devices)),
      ranks_(std::move(ranks)) {
  assert(ranks_->rank() == 0);
  thread_ = std::thread([this, threads] {
    const OwnThreads own(threads);
    loop();
    (void)ranks_->broadcast({});
  });
}

Session::Impl::~Impl() {
  mailbox_.quit();
  cancel_ = true;
  thread_.join();
}

void Session::Impl::loop() {
  while (auto taken = mailbox_.take(state_ == RunState::running)) {
    try {
      if (taken->requests.any()) settle();  // what it finds belongs to the generation before
      mailbox_.enter(taken->generation);
      serve(taken->requests);
      if (state_ == RunState::running) step();
    } catch (...) {
      fail_of_exception();
    }
  }
}

void Session::Impl::serve(SessionRequests& r) {
  for (const CheckpointSink& sink : r.take_first) sink(make_checkpoint(0));
  for (const CheckpointSink& sink : r.take_never) sink(nullptr);
  if (r.reset) {
    forget();
    set_state(RunState::idle);
  }
  if (r.weights || r.checkpoint) {
    forget();
    if (r.weights) initial_ = *r.weights;
    checkpoints_.go_on_from(std::move(r.checkpoint));
    set_state(RunState::idle);
  }
  if (r.watch) {
    watch_ = std::move(*r.watch);
    if (run_) {
      if (const Status watched = run_->set_watch(watch_); !watched) fail(watched.error());
    }
  }
  if (r.instruments) {
    inspection_.set_instruments(*r.instruments, run_.get());
    publish();
  }
  if (r.given) given_ = std::move(*r.given);
  if (r.every) checkpoints_.set_every(r.every->first, std::move(r.every->second));
  if (r.inspect) inspect(*r.inspect);
  if (r.start && device_id_ != canonical_device_id(r.start->device)) leave_device();  // before the run's names are gone
  for (const MovedNodes& moved : r.moved) move(moved);
  if (r.start) {
    if (!same_structure(graph_, r.start->graph)) measurements_.best().drop();
    graph_ = std::move(r.start->graph);
    device_id_ = canonical_device_id(r.start->device);
    target_.ask(r.start->steps);
    prepare(r.start->paused ? RunState::paused : RunState::running, true);
    if (r.start->ends && state_ == RunState::running) {
      target_.end_at(progress_.step);
      finish(RunState::finished);
    }
  }
  if (r.reload) measurements_.best().drop();  // measured on other files
  if (r.graph || r.reload) update(r.graph ? std::move(*r.graph) : Graph(graph_), r.reload || !r.moved.empty());
  if (r.stop && run_) finish(RunState::idle);
  if (r.stop && blocked_) {
    blocked_ = RunState::idle;
    error_.reset();
    set_state(RunState::idle);
  }
  if (r.paused && blocked_ && state_ == RunState::paused) blocked_ = *r.paused ? RunState::paused : RunState::running;
  if (r.paused && run_) {
    if (*r.paused && state_ == RunState::running) finish(RunState::paused);
    if (!*r.paused && state_ == RunState::paused) resume();
  }
  for (const CheckpointSink& sink : r.take) sink(make_checkpoint(0));
  if (r.step_once && run_ && state_ != RunState::running) {
    target_.reach(progress_.step + 1);
    sound_.drop();  // schedules depend on where the run ends
    inspection_.make_due();
    set_state(RunState::running);
    step();
    if (state_ == RunState::running) finish(RunState::paused);
  }
}

void Session::Impl::move(const MovedNodes& moved) {
  if (ranks_->size() > 1) return;  // theirs keep the old names
  if (progress_.states) progress_.states->rename(moved_names(moved, progress_.states->names()));
  move_keys(progress_.begun, moved);
  for (std::shared_ptr<const Weights>* weights : {&initial_, &weights_}) {
    if (!*weights) continue;
    Weights now = **weights;
    move_keys(now, moved);
    *weights = std::make_shared<const Weights>(std::move(now));
  }
  measurements_.best().move(moved);
  checkpoints_.move(moved);
}

void Session::Impl::forget() {
  run_.reset();
  sound_.forget();
  progress_ = {};
  initial_.reset();
  weights_.reset();
  checkpoints_.forget();
  measurements_.forget();
  inspection_.forget();
  pace_ = {};
  notes_.clear();
  error_.reset();
  bad_value_.reset();
  blocked_.reset();
  target_.forget();
}

void Session::Impl::fail(Error error) {
  if (run_ && !run_->is_compiled()) run_.reset();
  error_ = std::move(error);
  set_state(RunState::failed);
}

void Session::Impl::fail_of_exception() noexcept {
  sound_.suspect();  // an update may have been cut short
  const auto report = [this](Error error) {
    error.where = trainer();
    fail(std::move(error));
  };
  try {
    report(error_of_exception());
  } catch (...) {
    // Not even the failure can be reported: the memory of the run is freed first.
    run_.reset();
    try {
      report(error_of_exception());
    } catch (...) {
      state_ = RunState::failed;
      mailbox_.publish_out_of_memory();
    }
  }
}

void Session::Impl::inspect(const std::string& node) {
  inspection_.choose(node);
  if (!run_) return publish();
  if (state_ != RunState::running && !node.empty()) inspect_at_rest();
  publish();
}

void Session::Impl::inspect_at_rest() {
  if (!inspection_.is_of_last(progress_.step)) inspect_next_step();
}

void Session::Impl::inspect_next_step() {
  auto device = make_device_(device_id_);
  std::vector<std::string> notes;
  if (!device || !progress_.states) return;
  auto probe = TrainingRun::make(graph_, *device, *assets_, progress_, nullptr, inspection_.node(), false, notes,
                                 ranks_, given_);
  if (!probe) return;
  if (const auto loss = (*probe)->step(progress_.step, std::max(target_.end(), progress_.step + 1), &cancel_);
      !loss && loss.error().code != codes::not_finite)
    return;
  inspection_.take(**probe, progress_.step);
}

void Session::Impl::set_state(RunState state) {
  state_ = state;
  publish();
}

Session::Session(std::shared_ptr<Assets> assets, std::function<void()> on_change, MakeDevice devices,
                 std::shared_ptr<Communicator> ranks, int threads)
    : impl_(std::make_unique<Impl>(std::move(assets), std::move(on_change), std::move(devices), std::move(ranks),
                                   threads)) {}
Session::~Session() = default;

void Session::start(Graph graph, const std::string& device_id, uint64_t steps, bool paused) {
  impl_->mailbox_.post([&](SessionRequests& r) {
    r.drop_orders();
    r.start = SessionRequests::Start{std::move(graph), device_id, steps, paused, false};
  });
}
void Session::end(Graph graph, const std::string& device_id) {
  impl_->mailbox_.post([&](SessionRequests& r) {
    r.drop_orders();
    r.start = SessionRequests::Start{std::move(graph), device_id, 0, false, true};
  });
}
void Session::update_graph(Graph graph, const MovedNodes& moved) {
  impl_->mailbox_.post([&](SessionRequests& r) {
    r.graph = std::move(graph);
    if (!moved.empty()) r.moved.push_back(moved);
  });
}
void Session::reload_files() {
  impl_->mailbox_.post([](SessionRequests& r) { r.reload = true; });
}
void Session::watch(std::shared_ptr<TrainingWatch> watch) {
  impl_->mailbox_.post([&](SessionRequests& r) { r.watch = std::move(watch); });
}
void Session::instruments(std::optional<InstrumentSettings> settings) {
  impl_->mailbox_.post([&](SessionRequests& r) { r.instruments = settings; });
}
void Session::pause() {
  impl_->mailbox_.post([](SessionRequests& r) { r.paused = true; });
}
void Session::resume() {
  impl_->mailbox_.post([](SessionRequests& r) { r.paused = false; });
}
void Session::step_once() {
  impl_->mailbox_.post([](SessionRequests& r) { r.step_once = true; });
}
void Session::stop() {
  impl_->mailbox_.post([](SessionRequests& r) { r.stop = true; });
}
void Session::reset() {
  impl_->mailbox_.post_anew([&](SessionRequests& r) {
    r.weights.reset();
    r.checkpoint.reset();
    r.reset = true;
  });
}
void Session::load_weights(std::shared_ptr<const Weights> weights) {
  impl_->mailbox_.post_anew([&](SessionRequests& r) {
    r.checkpoint.reset();
    r.weights = std::move(weights);
  });
}
void Session::load_checkpoint(std::shared_ptr<const Checkpoint> checkpoint) {
  impl_->mailbox_.post_anew([&](SessionRequests& r) {
    r.weights.reset();
    r.checkpoint = std::move(checkpoint);
  });
}
void Session::continue_from(std::shared_ptr<const Checkpoint> checkpoint, std::shared_ptr<const Weights> weights) {
  impl_->mailbox_.post_anew([&](SessionRequests& r) {
    r.weights = std::move(weights);
    r.checkpoint = std::move(checkpoint);
  });
}
void Session::take_checkpoint(CheckpointSink sink) {
  impl_->mailbox_.post([&](SessionRequests& r) { r.take.push_back(std::move(sink)); });
}
void Session::checkpoint_every(uint64_t every, CheckpointSink sink) {
  impl_->mailbox_.post([&](SessionRequests& r) { r.every.emplace(every, std::move(sink)); });
}
void Session::publish_weights_while_running(bool on) {
  impl_->publish_weights_ = on;
}
void Session::give(GivenValues values) {
  impl_->mailbox_.post([&](SessionRequests& r) { r.given = std::move(values); });
}
void Session::inspect(const std::string& node) {
  impl_->mailbox_.post([&](SessionRequests& r) { r.inspect = node; });
}

std::shared_ptr<const RunSnapshot> Session::snapshot() const {
  return impl_->mailbox_.snapshot();
}
void Session::wait() {
  impl_->mailbox_.wait();
}

}  // namespace hw
