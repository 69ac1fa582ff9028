#include "app/cli/training.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <thread>

#include "engine/check/first_bad_value.h"

namespace hw::cli {
namespace {

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free, "set from a signal handler");

/// Signals ask for a stop while this lives; a second one ends the process.
class StopOnSignal {
 public:
  StopOnSignal() {
    interrupted = false;
    struct sigaction action {};
    action.sa_handler = [](int) { interrupted = true; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, &old_int_);
    sigaction(SIGTERM, &action, &old_term_);
  }
  ~StopOnSignal() {
    sigaction(SIGINT, &old_int_, nullptr);
    sigaction(SIGTERM, &old_term_, nullptr);
  }
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

 private:
  struct sigaction old_int_ {
  }, old_term_{};
};

void print_progress(const RunSnapshot& s) {
  constexpr int kWidth = 24;
  const double share = s.steps ? static_cast<double>(s.step) / static_cast<double>(s.steps) : 0;
  std::string bar(kWidth, '.');
  for (int i = 0; i < static_cast<int>(share * kWidth); ++i) bar[static_cast<size_t>(i)] = '#';
  char left[32] = "";
  if (s.step > 0 && s.step < s.steps) {
    const double rest = s.seconds / static_cast<double>(s.step) * static_cast<double>(s.steps - s.step);
    std::snprintf(left, sizeof left, "  %.0f s left", rest);
  }
  std::fprintf(stderr, "\r[%s] %llu/%llu  loss %.3e  %s samples/s%s\033[K", bar.c_str(),
               static_cast<unsigned long long>(s.step), static_cast<unsigned long long>(s.steps), s.loss,
               short_count(s.samples_per_s).c_str(), left);
}

}  // namespace

std::string short_count(double value) {
  char text[32];
  if (value >= 1e6) {
    std::snprintf(text, sizeof text, "%.2f M", value / 1e6);
  } else if (value >= 1e3) {
    std::snprintf(text, sizeof text, "%.1f k", value / 1e3);
  } else {
    std::snprintf(text, sizeof text, "%.0f", value);
  }
  return text;
}

TrainingResult train_to_end(TrainingRequest request) {
  const StopOnSignal stop_on_signal;
  const bool terminal = ::isatty(STDERR_FILENO) == 1;
  Session session(request.assets, nullptr);
  session.publish_weights_while_running(false);
  if (request.weights) session.load_weights(request.weights);
  if (request.checkpoint) session.load_checkpoint(request.checkpoint);
  if (request.checkpoint_every > 0) session.checkpoint_every(request.checkpoint_every, request.checkpoint_sink);
  if (request.halt_on_nonfinite) session.watch(watch_for_bad_values());
  session.instruments(request.instruments);
  session.start(std::move(request.graph), request.device, request.steps);
  if (!request.inspect.empty()) session.inspect(request.inspect);

  bool stopping = false;
  TrainingResult result;
  while (true) {
    result.last = session.snapshot();
    const RunState state = result.last->state;
    if (terminal && state == RunState::running) print_progress(*result.last);
    if (state == RunState::finished || state == RunState::failed) break;
    if (stopping && state == RunState::idle) break;
    if (interrupted && !stopping) {
      stopping = true;
      session.stop();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  session.wait();  // the last inspection
  result.last = session.snapshot();
  result.interrupted = stopping;
  if (terminal && result.last->state != RunState::failed) {
    print_progress(*result.last);
    std::fprintf(stderr, "\n");
  }
  return result;
}

}  // namespace hw::cli
