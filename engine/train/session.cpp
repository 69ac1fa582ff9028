#include "engine/train/session.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

#include "engine/core/codes.h"
#include "engine/core/exceptions.h"
#include "engine/core/tensor_statistics.h"
#include "engine/program/device_id.h"
#include "engine/train/session_impl.h"

namespace hw {

static std::shared_ptr<const RunSnapshot> out_of_memory() {
  auto s = std::make_shared<RunSnapshot>();
  s->state = RunState::failed;
  s->losses = std::make_shared<const std::vector<float>>();
  s->error = Error{codes::out_of_memory, "", "there is not enough memory.", "Close other programs; then reset."};
  return s;
}

Session::Impl::Impl(std::shared_ptr<Assets> assets, std::function<void()> on_change, MakeDevice devices,
                    std::shared_ptr<Communicator> ranks)
    : assets_(std::move(assets)),
      on_change_(std::move(on_change)),
      make_device_(std::move(devices)),
      ranks_(std::move(ranks)),
      snapshot_(std::make_shared<RunSnapshot>()),
      out_of_memory_snapshot_(out_of_memory()) {
  assert(ranks_->rank() == 0);
  thread_ = std::thread([this] {
    loop();
    (void)ranks_->broadcast({});
  });
}

Session::Impl::~Impl() {
  {
    const std::lock_guard lock(mutex_);
    quit_ = true;
  }
  cancel_ = true;
  wake_.notify_all();
  thread_.join();
}

void Session::Impl::drop_all(SessionRequests& r) {
  r.drop_orders();
  r.moved.clear();
  // What came after an order to forget is of a state that will never be.
  auto& to = r.reset || r.weights || r.checkpoint ? r.take_never : r.take_first;
  std::ranges::move(std::exchange(r.take, {}), std::back_inserter(to));
  snapshot_ = std::make_shared<RunSnapshot>();
  ++requested_generation_;
}

void Session::Impl::loop() {
  while (true) {
    SessionRequests requests;
    uint64_t generation = 0;
    {
      std::unique_lock lock(mutex_);
      if (state_ != RunState::running && !requests_.any()) {
        busy_ = false;
        settled_.notify_all();
        wake_.wait(lock, [&] { return quit_ || requests_.any(); });
      }
      if (quit_) return;
      requests = std::exchange(requests_, {});
      generation = requested_generation_;
    }
    try {
      if (requests.any()) settle();  // what it finds belongs to the generation before
      generation_ = generation;
      serve(requests);
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
    checkpoint_ = std::move(r.checkpoint);
    set_state(RunState::idle);
  }
  if (r.watch) {
    watch_ = std::move(*r.watch);
    if (run_) {
      if (const Status watched = run_->set_watch(watch_); !watched) fail(watched.error());
    }
  }
  if (r.instruments) {
    instruments_ = *r.instruments;
    readings_.reset();
    if (run_) run_->set_instruments(instruments_);
    publish();
  }
  if (r.given) given_ = std::move(*r.given);
  if (r.every) std::tie(every_, every_sink_) = std::move(*r.every);
  if (r.inspect) inspect(*r.inspect);
  for (const MovedNodes& moved : r.moved) move(moved);
  if (r.start) {
    if (!same_structure(graph_, r.start->graph)) best_.reset();
    graph_ = std::move(r.start->graph);
    const std::string device = canonical_device_id(r.start->device);
    if (device_id_ != device) progress_.states.reset();
    device_id_ = device;
    requested_steps_ = r.start->steps;
    prepare(r.start->paused ? RunState::paused : RunState::running, true);
    if (r.start->ends && state_ == RunState::running) {
      target_ = began_ = progress_.step;
      finish(RunState::finished);
    }
  }
  if (r.reload) best_.reset();  // measured on other files
  if (r.graph || r.reload) update(r.graph ? std::move(*r.graph) : Graph(graph_), r.reload || !r.moved.empty());
  if (r.stop && run_) finish(RunState::idle);
  if (r.stop && blocked_) {
    blocked_state_ = RunState::idle;
    error_.reset();
    set_state(RunState::idle);
  }
  if (r.paused && blocked_ && state_ == RunState::paused) {
    blocked_state_ = *r.paused ? RunState::paused : RunState::running;
  }
  if (r.paused && run_) {
    if (*r.paused && state_ == RunState::running) finish(RunState::paused);
    if (!*r.paused && state_ == RunState::paused) resume();
  }
  for (const CheckpointSink& sink : r.take) sink(make_checkpoint(0));
  if (r.step_once && run_ && state_ != RunState::running) {
    target_ = std::max(target_, progress_.step + 1);
    sound_.drop();  // schedules depend on where the run ends
    next_inspection_ = {};
    set_state(RunState::running);
    step();
    if (state_ == RunState::running) finish(RunState::paused);
  }
}

void Session::Impl::move(const MovedNodes& moved) {
  if (ranks_->size() > 1) return;  // theirs keep the old names
  if (progress_.states) progress_.states->rename(moved_names(moved, progress_.states->names()));
  for (std::shared_ptr<const Weights>* weights : {&initial_, &weights_}) {
    if (!*weights) continue;
    Weights now = **weights;
    move_keys(now, moved);
    *weights = std::make_shared<const Weights>(std::move(now));
  }
  if (best_) move_nodes(*best_, moved);
  if (checkpoint_) {
    auto now = std::make_shared<Checkpoint>(*checkpoint_);
    move_nodes(*now, moved);
    checkpoint_ = std::move(now);
  }
}

void Session::Impl::forget() {
  run_.reset();
  sound_.drop();
  progress_ = {};
  initial_.reset();
  checkpoint_.reset();
  checkpointed_.reset();
  weights_.reset();
  metrics_.clear();
  measured_.reset();
  measurements_.reset();
  best_.reset();
  inspection_.reset();
  notes_.clear();
  error_.reset();
  bad_value_.reset();
  readings_.reset();
  blocked_ = suspect_ = false;
  target_ = began_ = 0;
  elapsed_ = 0;
  rate_.clear();
}

bool Session::Impl::is_sound() {
  if (!suspect_) return true;
  for (const auto& [name, state] : run_->read_states()) {
    if (const TensorStatistics s = hw::measure(state); s.finite() < s.count) return false;
  }
  suspect_ = false;
  return true;
}

void Session::Impl::fail(Error error) {
  if (run_ && !run_->is_compiled()) run_.reset();
  error_ = std::move(error);
  set_state(RunState::failed);
}

void Session::Impl::fail_of_exception() noexcept {
  suspect_ = true;  // an update may have been cut short
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
      const std::lock_guard lock(mutex_);
      if (generation_ == requested_generation_) snapshot_ = out_of_memory_snapshot_;
    }
  }
}

void Session::Impl::inspect(const std::string& node) {
  inspected_ = node;
  inspection_.reset();
  next_inspection_ = {};
  if (!run_) return publish();
  if (state_ != RunState::running && !node.empty()) inspect_at_rest();
  publish();
}

void Session::Impl::inspect_at_rest() {
  if (inspection_ && inspection_->node == inspected_ && inspection_->step + 1 == progress_.step) return;
  inspect_next_step();
}

void Session::Impl::inspect_next_step() {
  auto device = make_device_(device_id_);
  std::vector<std::string> notes;
  if (!device || !progress_.states) return;
  auto probe =
      TrainingRun::make(graph_, *device, *assets_, progress_, nullptr, inspected_, false, notes, ranks_, given_);
  if (!probe) return;
  if (const auto loss = (*probe)->step(progress_.step, std::max(target_, progress_.step + 1), &cancel_);
      !loss && loss.error().code != codes::not_finite)
    return;
  take_inspection(**probe, progress_.step);
}

void Session::Impl::set_state(RunState state) {
  state_ = state;
  publish();
}

Session::Session(std::shared_ptr<Assets> assets, std::function<void()> on_change, MakeDevice devices,
                 std::shared_ptr<Communicator> ranks)
    : impl_(std::make_unique<Impl>(std::move(assets), std::move(on_change), std::move(devices), std::move(ranks))) {}
Session::~Session() = default;

void Session::start(Graph graph, const std::string& device_id, uint64_t steps, bool paused) {
  impl_->request([&](SessionRequests& r) {
    r.drop_orders();
    r.start = SessionRequests::Start{std::move(graph), device_id, steps, paused, false};
  });
}
void Session::end(Graph graph, const std::string& device_id) {
  impl_->request([&](SessionRequests& r) {
    r.drop_orders();
    r.start = SessionRequests::Start{std::move(graph), device_id, 0, false, true};
  });
}
void Session::update_graph(Graph graph, const MovedNodes& moved) {
  impl_->request([&](SessionRequests& r) {
    r.graph = std::move(graph);
    if (!moved.empty()) r.moved.push_back(moved);
  });
}
void Session::reload_files() {
  impl_->request([](SessionRequests& r) { r.reload = true; });
}
void Session::watch(std::shared_ptr<TrainingWatch> watch) {
  impl_->request([&](SessionRequests& r) { r.watch = std::move(watch); });
}
void Session::instruments(std::optional<InstrumentSettings> settings) {
  impl_->request([&](SessionRequests& r) { r.instruments = settings; });
}
void Session::pause() {
  impl_->request([](SessionRequests& r) { r.paused = true; });
}
void Session::resume() {
  impl_->request([](SessionRequests& r) { r.paused = false; });
}
void Session::step_once() {
  impl_->request([](SessionRequests& r) { r.step_once = true; });
}
void Session::stop() {
  impl_->request([](SessionRequests& r) { r.stop = true; });
}
void Session::reset() {
  impl_->request([&](SessionRequests& r) {
    impl_->drop_all(r);
    r.weights.reset();
    r.checkpoint.reset();
    r.reset = true;
  });
}
void Session::load_weights(std::shared_ptr<const Weights> weights) {
  impl_->request([&](SessionRequests& r) {
    impl_->drop_all(r);
    r.checkpoint.reset();
    r.weights = std::move(weights);
  });
}
void Session::load_checkpoint(std::shared_ptr<const Checkpoint> checkpoint) {
  impl_->request([&](SessionRequests& r) {
    impl_->drop_all(r);
    r.weights.reset();
    r.checkpoint = std::move(checkpoint);
  });
}
void Session::continue_from(std::shared_ptr<const Checkpoint> checkpoint, std::shared_ptr<const Weights> weights) {
  impl_->request([&](SessionRequests& r) {
    impl_->drop_all(r);
    r.weights = std::move(weights);
    r.checkpoint = std::move(checkpoint);
  });
}
void Session::take_checkpoint(CheckpointSink sink) {
  impl_->request([&](SessionRequests& r) { r.take.push_back(std::move(sink)); });
}
void Session::checkpoint_every(uint64_t every, CheckpointSink sink) {
  impl_->request([&](SessionRequests& r) { r.every.emplace(every, std::move(sink)); });
}
void Session::publish_weights_while_running(bool on) {
  impl_->publish_weights_ = on;
}
void Session::give(GivenValues values) {
  impl_->request([&](SessionRequests& r) { r.given = std::move(values); });
}
void Session::inspect(const std::string& node) {
  impl_->request([&](SessionRequests& r) { r.inspect = node; });
}

std::shared_ptr<const RunSnapshot> Session::snapshot() const {
  const std::lock_guard lock(impl_->mutex_);
  return impl_->snapshot_;
}

void Session::wait() {
  std::unique_lock lock(impl_->mutex_);
  impl_->settled_.wait(lock, [&] { return !impl_->busy_; });
}

}  // namespace hw
