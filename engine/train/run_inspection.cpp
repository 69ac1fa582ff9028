#include "engine/train/run_inspection.h"

#include <algorithm>
#include <utility>

namespace hw {
namespace {

constexpr std::chrono::milliseconds kInspectionInterval{200};
constexpr std::chrono::milliseconds kReadingsInterval{200};
constexpr int kInspectionCostShare = 20;  // an inspection of t seconds is repeated after 20 t: at most 5 % of the time

}  // namespace

void RunInspection::choose(const std::string& node) {
  node_ = node;
  tensors_.reset();
  make_due();
}

void RunInspection::prepare(TrainingRun& run, uint64_t step) {
  const Clock::time_point begin = Clock::now();
  run.prepare_inspection(step);
  preparing_ = Clock::now() - begin;
}

void RunInspection::take(const TrainingRun& run, uint64_t step) {
  const Clock::time_point begin = Clock::now();
  auto tensors = run.read_inspection(step);
  if (tensors) tensors_ = *tensors;
  const Clock::time_point end = Clock::now();
  const Clock::duration took = end - begin + std::exchange(preparing_, {});
  next_ = end + std::max<Clock::duration>(kInspectionInterval, kInspectionCostShare * took);
}

void RunInspection::set_instruments(const std::optional<InstrumentSettings>& settings, TrainingRun* run) {
  instruments_ = settings;
  readings_.reset();
  if (run) run->set_instruments(instruments_);
}

void RunInspection::attach(TrainingRun& run) {
  run.set_instruments(instruments_, readings_ ? readings_->gradients.get() : nullptr);
  readings_.reset();
}

void RunInspection::take_readings(TrainingRun& run) {
  readings_ = run.readings();
  read_ = Clock::now();
}

bool RunInspection::readings_are_due() const {
  return Clock::now() - read_ >= kReadingsInterval;
}

void RunInspection::forget() {
  tensors_.reset();
  readings_.reset();
}

}  // namespace hw
