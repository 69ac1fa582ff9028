#include "app/cli/commands/train_with_progress.h"

#include <cstdio>

#include "app/cli/print/progress_line.h"
#include "app/cli/print/report.h"
#include "app/cli/print/stop_signal.h"

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
                  static_cast<unsigned long long>(workspace::skipped_steps(s)));
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

int exit_of(const TrainingResult& result) {
  return result.interrupted ? exit_of_signal(StopOnSignal::signal()) : kDone;
}

TrainingResult train_to_end(TrainingRequest request) {
  const StopOnSignal stop_on_signal;
  ProgressLine line;
  return workspace::train_to_end(
      std::move(request), [&](const RunSnapshot& s) { print_progress(line, s); }, &StopOnSignal::asked());
}

}  // namespace hw::cli
