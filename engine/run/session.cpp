#include "engine/run/session.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <new>
#include <thread>

#include "engine/run/session_requests.h"
#include "engine/run/training_run.h"

namespace hw {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kPublishInterval{33};
constexpr std::chrono::milliseconds kWeightsInterval{100};
constexpr std::chrono::milliseconds kInspectionInterval{200};
constexpr int kInspectionCostShare = 20;  // an inspection of t seconds is repeated after 20 t: at most 5 % of the time

double seconds(Clock::duration d) {
  return std::chrono::duration<double>(d).count();
}

}  // namespace

std::string_view name(RunState state) {
  constexpr std::string_view names[] = {"idle", "preparing", "running", "paused", "finished", "failed"};
  return names[static_cast<size_t>(state)];
}

struct Session::Impl {
  Impl(std::shared_ptr<Assets> assets, std::function<void()> on_change)
      : assets_(std::move(assets)), on_change_(std::move(on_change)), snapshot_(std::make_shared<RunSnapshot>()) {
    thread_ = std::thread([this] { loop(); });
  }

  ~Impl() {
    {
      const std::lock_guard lock(mutex_);
      quit_ = true;
    }
    cancel_ = true;
    wake_.notify_all();
    thread_.join();
  }

  template <class F>
  void request(F&& change) {
    {
      const std::lock_guard lock(mutex_);
      change(requests_);
      busy_ = true;
    }
    wake_.notify_all();
  }

  /// In a request: everything so far is to be forgotten.
  void drop_all(SessionRequests& r) {
    r.drop_orders();
    snapshot_ = std::make_shared<RunSnapshot>();
    ++life_asked_;
  }

  // ---- worker thread

  void loop() {
    while (true) {
      SessionRequests requests;
      {
        std::unique_lock lock(mutex_);
        if (state_ != RunState::running && !requests_.any()) {
          busy_ = false;
          settled_.notify_all();
          wake_.wait(lock, [&] { return quit_ || requests_.any(); });
        }
        if (quit_) return;
        requests = std::exchange(requests_, {});
        life_ = life_asked_;
      }
      try {
        serve(requests);
        if (state_ == RunState::running) step();
      } catch (const std::bad_alloc&) {
        fail({codes::out_of_memory, trainer(), "there is not enough memory for this graph.",
              "Lower the number of points, the table size or the layer widths."});
      }
    }
  }

  void serve(SessionRequests& r) {
    if (r.reset) {
      forget();
      set_state(RunState::idle);
    }
    if (r.weights) {
      forget();
      initial_ = *r.weights;
      set_state(RunState::idle);
    }
    if (r.inspect) inspect(*r.inspect);
    if (r.start) {
      graph_ = std::move(r.start->graph);
      if (device_id_ != r.start->device) progress_.states.reset();
      device_id_ = r.start->device;
      requested_steps_ = r.start->steps;
      prepare(r.start->paused ? RunState::paused : RunState::running, true);
    }
    if (r.graph) update(std::move(*r.graph));
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
    if (r.step_once && run_ && state_ != RunState::running) {
      target_ = std::max(target_, progress_.step + 1);
      set_state(RunState::running);
      step();
      if (state_ == RunState::running) finish(RunState::paused);
    }
  }

  void forget() {
    run_.reset();
    progress_ = {};
    initial_.reset();
    weights_.reset();
    inspection_.reset();
    notes_.clear();
    error_.reset();
    blocked_ = false;
    target_ = 0;
    elapsed_ = 0;
    rate_.clear();
  }

  /// Lowers and compiles graph_; on success goes to `next`. `extend`: another run of steps on top.
  void prepare(RunState next, bool extend) {
    set_state(RunState::preparing);
    error_.reset();
    notes_.clear();
    run_.reset();
    blocked_ = false;
    auto device = make_device(device_id_);
    if (!device) return fail(device.error());
    auto run = TrainingRun::make(graph_, *device, *assets_, progress_, initial_.get(), inspected_, true, notes_);
    if (!run) return fail(run.error());
    run_ = std::move(*run);
    if (extend) {
      const uint64_t steps = requested_steps_ ? requested_steps_ : static_cast<uint64_t>(run_->plan().settings.steps);
      target_ = progress_.step + steps;
    }
    rate_.clear();
    set_state(next);
  }

  void resume() {
    if (progress_.step >= target_) return finish(RunState::finished);
    rate_.clear();
    set_state(RunState::running);
  }

  void update(Graph graph) {
    if (!run_ && !blocked_) return;
    const bool structural = blocked_ || !same_structure(graph_, graph);
    graph_ = std::move(graph);
    if (!structural) {
      run_->set_settings(train_settings(*graph_.find(run_->plan().trainer)));
      return;
    }
    const RunState before = blocked_ ? blocked_state_ : state_;
    // What failed does not go on by itself.
    const RunState next = before == RunState::failed ? RunState::paused : before;
    prepare(next, false);
    if (state_ == RunState::failed) {
      // The graph is wrong for the moment: wait, and go on as before once it is mended.
      blocked_ = true;
      blocked_state_ = next;
      set_state(next == RunState::running ? RunState::paused : next);
    }
  }

  void step() {
    const Clock::time_point begin = Clock::now();
    const auto loss = run_->step(progress_.step, target_, &cancel_);
    const Clock::time_point end = Clock::now();
    if (!loss) {
      if (loss.error().code != codes::cancelled) fail(loss.error());
      return;
    }
    elapsed_ += seconds(end - begin);
    progress_.losses.push_back(static_cast<float>(*loss));
    ++progress_.step;
    rate_.push_back({end, progress_.step});
    while (rate_.size() > 2 && end - rate_.front().first > std::chrono::seconds(1)) rate_.pop_front();
    if (progress_.step >= target_) return finish(RunState::finished);
    if (end - published_ < kPublishInterval) return;
    if (publish_weights_ && end - weights_time_ >= kWeightsInterval) take_weights();
    if (!inspected_.empty() && end >= next_inspection_) take_inspection(*run_);
    publish();
  }

  void finish(RunState state) {
    take_weights();
    if (!inspected_.empty()) take_inspection(*run_);
    set_state(state);
  }

  void fail(Error error) {
    error_ = std::move(error);
    set_state(RunState::failed);
  }

  void inspect(const std::string& node) {
    inspected_ = node;
    inspection_.reset();
    next_inspection_ = {};
    if (!run_) return publish();
    if (const Status status = run_->inspect(node); !status) return fail(status.error());
    if (state_ != RunState::running && !node.empty()) inspect_at_rest();
    publish();
  }

  /// Nothing runs: computes what the next step would see, without changing any state.
  void inspect_at_rest() {
    auto device = make_device(device_id_);
    std::vector<std::string> notes;
    if (!device || !progress_.states) return;
    auto probe = TrainingRun::make(graph_, *device, *assets_, progress_, nullptr, inspected_, false, notes);
    if (!probe) return;
    if (const auto loss = (*probe)->step(progress_.step, std::max(target_, progress_.step + 1), &cancel_); !loss)
      return;
    take_inspection(**probe);
  }

  void take_weights() {
    weights_ = run_->read_weights();
    weights_step_ = progress_.step;
    weights_time_ = Clock::now();
  }

  void take_inspection(const TrainingRun& run) {
    const Clock::time_point begin = Clock::now();
    auto inspection = run.read_inspection(progress_.step);
    if (inspection) inspection_ = *inspection;
    const Clock::time_point end = Clock::now();
    next_inspection_ = end + std::max<Clock::duration>(kInspectionInterval, kInspectionCostShare * (end - begin));
  }

  void set_state(RunState state) {
    state_ = state;
    publish();
  }

  std::string trainer() const { return run_ ? run_->plan().trainer : ""; }

  void publish() {
    auto s = std::make_shared<RunSnapshot>();
    s->state = state_;
    s->step = progress_.step;
    s->steps = target_;
    s->seconds = elapsed_;
    s->loss = progress_.losses.empty() ? 0 : progress_.losses.back();
    s->losses = std::make_shared<const std::vector<float>>(progress_.losses);
    if (run_) {
      const auto batch = static_cast<double>(run_->plan().batch);
      if (state_ == RunState::running && rate_.size() > 1) {
        const double time = seconds(rate_.back().first - rate_.front().first);
        s->samples_per_s =
            time > 0 ? static_cast<double>(rate_.back().second - rate_.front().second) * batch / time : 0;
      } else if (elapsed_ > 0) {
        s->samples_per_s = static_cast<double>(progress_.step) * batch / elapsed_;
      }
      s->learning_rate = learning_rate_at(run_->plan().settings, progress_.step, target_);
      s->node_ms = run_->node_ms();
      s->node_kernels = run_->node_kernels();
      s->memory_bytes = run_->memory_bytes();
    }
    s->weights = weights_;
    s->weights_step = weights_step_;
    s->inspection = inspection_;
    s->notes = notes_;
    s->error = error_;
    published_ = Clock::now();
    {
      const std::lock_guard lock(mutex_);
      if (life_ == life_asked_) snapshot_ = std::move(s);
    }
    if (on_change_) on_change_();
  }

  const std::shared_ptr<Assets> assets_;
  const std::function<void()> on_change_;
  std::atomic<bool> cancel_ = false;
  std::atomic<bool> publish_weights_ = true;

  // Guarded by mutex_.
  mutable std::mutex mutex_;
  std::condition_variable wake_, settled_;
  SessionRequests requests_;
  std::shared_ptr<const RunSnapshot> snapshot_;
  bool quit_ = false;
  bool busy_ = false;
  uint64_t life_asked_ = 0;  // counts resets; a snapshot of an earlier life is not handed out

  // Worker thread only.
  uint64_t life_ = 0;
  RunState state_ = RunState::idle;
  Graph graph_;
  std::string device_id_;
  uint64_t requested_steps_ = 0;
  std::unique_ptr<TrainingRun> run_;
  TrainingProgress progress_;
  uint64_t target_ = 0;
  std::shared_ptr<const Weights> initial_, weights_;
  uint64_t weights_step_ = 0;
  std::string inspected_;
  std::shared_ptr<const NodeInspection> inspection_;
  std::vector<std::string> notes_;
  std::optional<Error> error_;
  bool blocked_ = false;  // an edit made the graph wrong while it was active
  RunState blocked_state_ = RunState::idle;
  double elapsed_ = 0;
  std::deque<std::pair<Clock::time_point, uint64_t>> rate_;
  Clock::time_point published_, weights_time_, next_inspection_;

  std::thread thread_;
};

Session::Session(std::shared_ptr<Assets> assets, std::function<void()> on_change)
    : impl_(std::make_unique<Impl>(std::move(assets), std::move(on_change))) {}
Session::~Session() = default;

void Session::start(Graph graph, const std::string& device_id, uint64_t steps, bool paused) {
  impl_->request([&](SessionRequests& r) {
    r.drop_orders();
    r.start = SessionRequests::Start{std::move(graph), device_id, steps, paused};
  });
}
void Session::update_graph(Graph graph) {
  impl_->request([&](SessionRequests& r) { r.graph = std::move(graph); });
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
    r.reset = true;
  });
}
void Session::load_weights(std::shared_ptr<const Weights> weights) {
  impl_->request([&](SessionRequests& r) {
    impl_->drop_all(r);
    r.weights = std::move(weights);
  });
}
void Session::publish_weights_while_running(bool on) {
  impl_->publish_weights_ = on;
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
