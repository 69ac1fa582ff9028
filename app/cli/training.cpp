#include "app/cli/training.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

#include "app/cli/report.h"
#include "app/cli/stop_signal.h"
#include "engine/train/first_bad_value.h"

namespace hw::cli {
namespace {

void print_progress(ProgressLine& line, const RunSnapshot& s) {
  const double share = s.steps ? static_cast<double>(s.step) / static_cast<double>(s.steps) : 0;
  char left[32] = "", scale[64] = "", text[192];
  if (s.step > 0 && s.step < s.steps) {
    const double rest = s.seconds / static_cast<double>(s.step) * static_cast<double>(s.steps - s.step);
    std::snprintf(left, sizeof left, "  %.0f s left", rest);
  }
  if (s.loss_scales) {
    std::snprintf(scale, sizeof scale, "  loss scale %.10g, %llu skipped", s.loss_scale,
                  static_cast<unsigned long long>(skipped_steps(s)));
  }
  std::snprintf(text, sizeof text, "%llu/%llu  training loss %.3e%s  %s samples/s%s",
                static_cast<unsigned long long>(s.step), static_cast<unsigned long long>(s.steps), s.loss, scale,
                short_count(s.samples_per_s).c_str(), left);
  line.show(share, text);
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

int TrainingResult::exit() const {
  return interrupted ? exit_of_signal(StopOnSignal::signal()) : kDone;
}

uint64_t skipped_steps(const RunSnapshot& s) {
  if (!s.loss_scales) return 0;
  return static_cast<uint64_t>(
      std::count_if(s.loss_scales->begin(), s.loss_scales->end(), [](const LossScaleEvent& e) { return e.skipped; }));
}

TrainingResult train_to_end(TrainingRequest request) {
  const StopOnSignal stop_on_signal;
  const auto began = std::chrono::steady_clock::now();
  ProgressLine line;
  Session session(request.assets, nullptr);
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

  bool stopping = false;
  TrainingResult result;
  while (true) {
    result.last = session.snapshot();
    const RunState state = result.last->state;
    if (state == RunState::running) print_progress(line, *result.last);
    if (state == RunState::finished || state == RunState::failed) break;
    if (stopping && state == RunState::idle) break;
    if (StopOnSignal::asked() && !stopping) {
      stopping = true;
      session.stop();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  if (request.keep_states)
    session.take_checkpoint([&](std::shared_ptr<const Checkpoint> states) { result.states = std::move(states); });
  session.wait();  // the last inspection
  result.last = session.snapshot();
  result.interrupted = stopping;
  result.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  if (result.last->state != RunState::failed) print_progress(line, *result.last);
  return result;
}

}  // namespace hw::cli
