#include "engine/train/run_measurements.h"

#include <utility>

namespace hw {

void RunMeasurements::take_over(const RunHistory& history) {
  all_ = std::make_shared<const std::vector<RunHistory::Metrics>>(history.metrics);
}

SplitMetrics* RunMeasurements::metrics_of(Split split, const Of& of) {
  const auto found = metrics_.find(split);
  if (found != metrics_.end()) return found->second.get();
  std::unique_ptr<SplitMetrics>& kept = metrics_[split];
  if (!has_split(of.run, split) && has_split(of.run, Split::validation)) return nullptr;  // validated, and never tested
  auto made =
      SplitMetrics::make(of.graph, of.run.plan().trainer, split, of.run.device(), of.assets, of.run.states(), of.notes);
  if (made)
    kept = std::move(*made);
  else
    of.notes.push_back("Metrics are not measured: " + made.error().text());
  return kept.get();
}

bool RunMeasurements::measure(Split split, const Of& of, const std::shared_ptr<const Weights>& shown) {
  SplitMetrics* metrics = metrics_of(split, of);
  if (!metrics) return false;
  const bool of_best = split == Split::test && best_.are(shown);
  Measurement measured;
  const Status done = of.run.with_weights(of_best ? shown.get() : nullptr, [&]() -> Status {
    HW_TRY(measured, metrics->measure(of.run.plan().settings.seed, of.cancel, of.is_stopped));
    return ok();
  });
  if (!done) return false;
  measured.step = of_best ? best_.best()->step : of.progress.step;
  if (measured.loss || !measured.numbers.empty()) {
    of.progress.history.metrics.push_back({of.progress.step, measured.numbers, split, measured.loss});
    take_over(of.progress.history);
  }
  last_ = std::make_shared<const Measurement>(std::move(measured));
  return true;
}

bool RunMeasurements::validate(const Of& of) {
  const auto is_measured = [&] {
    return last_ && last_->split == Split::validation && last_->step == of.progress.step;
  };
  if (is_measured()) return false;
  const bool done = measure(Split::validation, of, nullptr);
  if (is_measured()) best_.measured(*last_->loss, of.progress.step, [&] { return of.run.read_weights(); });
  return done;
}

}  // namespace hw
