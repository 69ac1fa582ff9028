// GradientMeter: measures gradients, weights and updates at the looks of a training's instruments.
#pragma once

#include <map>
#include <optional>
#include <tuple>

#include "engine/backend/backend.h"
#include "engine/backend/value_probe.h"
#include "engine/instrument/gradient_history.h"
#include "engine/plan/training_plan.h"

namespace hw {

/// Single threaded; Instruments drives it, and its pace counts the time. The probe sees the gradients of all wires and
/// parameters of the plan.
class GradientMeter {
 public:
  /// Goes on from `earlier` (may be null) where the same values are followed.
  GradientMeter(const TrainingPlan& plan, const GradientHistory* earlier);

  /// Before a step that is looked at; `probe` has begun. Reads samples of the master weights.
  void before(const ValueProbe& probe, const States& states);
  /// After it: what the probe saw of the gradients, and the masters again at the same places. `loss_scale`: what the
  /// step's gradients were multiplied by. `why`: of a gap in the history before it, if there is one.
  void after(const ValueProbe& probe, const States& states, uint64_t step, double loss_scale, const std::string& why);

  /// Where a wire or parameter stands in subjects().series; none: it is not followed.
  std::optional<size_t> find(GradientSeries::Kind kind, const std::string& node, const std::string& name) const;
  /// The size of subjects().series[k] at the last look; all unknown before the first.
  const GradientSize& last(size_t k) const { return last_[k]; }
  const GradientSubjects& subjects() const { return recorder_->subjects(); }
  std::shared_ptr<const GradientHistory> history() const { return recorder_->history(); }

 private:
  struct Subject {
    ValueId gradient = kNoValue;     // none: a frozen parameter
    std::optional<double> constant;  // the sum of squares of a gradient that never changes
    double unscale = 1;              // loss scale apart
    std::string master;              // parameters: the state's name
    bool trainable = false;
    bool narrow = false;  // its master has less than f32
    size_t node = 0;
    std::vector<int64_t> places;        // of the master's elements, at this look
    std::vector<double> before, after;  // there
  };
  struct Sums;

  std::vector<Subject> subjects_;  // as recorder_->subjects().series
  std::optional<GradientRecorder> recorder_;
  std::map<std::tuple<GradientSeries::Kind, std::string, std::string>, size_t> index_;
  std::vector<GradientSize> last_;
};

}  // namespace hw
