// Instruments: what the wires and parameters of a training hold, forward and gradient, read while it trains.
#pragma once

#include <optional>

#include "engine/backend/value_probe.h"
#include "engine/core/tensor_statistics.h"
#include "engine/instrument/gradient_meter.h"
#include "engine/instrument/gradient_paths.h"
#include "engine/instrument/instrument_pace.h"

namespace hw {

/// One value at the last look. Shares are in [0, 1].
///   underflow: elements that were not 0 when they were computed and are 0 as they are stored, of those whose number
///     before that rounding was seen (RoundingLosses, ValueLook). What an f32 or f64 product loses on its own is not
///     seen. An element that was 0 before, because what it is made of had underflowed, counts as zero alone: so the
///     value that underflows is where the loss happens.
///   overflow: finite when computed, ±Inf or NaN as stored.
///   saturated: at the dtype's largest finite magnitude.
/// All counts and shares, smallest, largest and so the headroom are of every element. Only `sample` is sampled, and the
/// histogram drawn from it; norms and updates (GradientSize) are estimates. A reading is of one moment: what a step
/// computed, its gradients, and the parameters as that step read them, before its update.
struct InstrumentReading {
  enum class Kind : uint8_t { wire, parameter, inner } kind = Kind::wire;
  bool gradient = false;
  std::string node;
  std::string name;  // socket or parameter; inner (between the ops of a node): the op that made it, "matmul 2"
  DType dtype = DType::f32;
  Dims dims;
  double gradient_scale = 1;  // the stored gradient is this many times the true one
  uint64_t step = 0;          // 0-based
  ValueLook look;
  TensorStatistics sample;  // of up to ValueProbe::kSamples elements of the last micro-batch
  GradientSize size;        // gradients: norm, rms; parameters: weight, update. Of the last look; the rest is unknown
  // Over all looks since the graph was lowered.
  int64_t total_infs = 0, total_nans = 0;
  std::optional<uint64_t> first_bad_step;  // 0-based: the first look that saw an Inf or NaN
  double worst_underflow = 0;
  uint64_t worst_underflow_step = 0;

  double underflow() const { return share(look.losses.underflowed, look.losses.rounded); }
  double overflow() const { return share(look.losses.overflowed, look.losses.rounded); }
  bool sees_rounding() const { return look.losses.rounded > 0; }
  double zero() const { return share(look.zeros, look.count); }
  double subnormal() const { return share(look.subnormal, look.count); }
  double saturated() const { return share(look.saturated, look.count); }
  /// Whether the histogram is of a part of the elements.
  bool is_sampled() const { return sample.count < look.count; }
  /// How many times the largest magnitude can double before the dtype's largest number; none where all is 0.
  std::optional<double> headroom_bits() const;
  /// "grad(mlp.layer_0)", "mlp.y", "mlp: matmul 2".
  std::string label() const;

 private:
  static double share(int64_t part, int64_t of) {
    return of > 0 ? static_cast<double>(part) / static_cast<double>(of) : 0;
  }
};

/// The readings of all instruments. Immutable.
struct InstrumentReadings {
  std::vector<InstrumentReading> readings;  // in the order of the forward pass, then of the backward pass
  uint64_t looks = 0, steps = 0;            // steps looked at, of those done
  double cost = 0;                          // share of the steps' own time that looking took
  /// What looking took in fewer steps says nothing: clocks are coarse, and the first look warms caches.
  static constexpr uint64_t kStepsOfCost = 10;
  bool is_cost_measured() const { return steps >= kStepsOfCost; }
  double least_norm = 0, most_norm = 0;  // of wires' gradients that are neither 0 nor infinite; 0: there are none
  std::shared_ptr<const GradientHistory> gradients;  // never null
  std::vector<GradientVerdict> verdicts;             // on the gradients' ways
};

/// The instruments of one training plan. Single threaded, as TrainingRun, which drives them.
class Instruments {
 public:
  /// The history of gradients goes on from `earlier` (may be null) where the same values are followed.
  Instruments(const TrainingPlan& plan, InstrumentSettings settings, const GradientHistory* earlier = nullptr);

  /// Before a step: the probe for its runs, or null when this step is not looked at. `states`: the plan's.
  ValueProbe* begin_step(uint64_t step, const States& states, bool is_last = false);
  /// After a step. `seconds`: processor time of this thread; on an asynchronous device, elapsed time.
  /// `loss_scale`: the factor on its gradients.
  void end_step(double seconds, double loss_scale, const States& states);
  /// For asynchronous steps: the time that end_step was not given.
  void waited(double seconds) { pace_.waited(seconds); }
  /// Null before the first look. The same object until there is another look.
  std::shared_ptr<const InstrumentReadings> readings();

 private:
  struct Item {
    ValueId value = kNoValue;
    InstrumentReading reading;
    std::optional<size_t> slot;      // in the probe; none: a constant
    std::optional<size_t> followed;  // by the meter
    double unscale = 1;              // of the gradient, loss scale apart
  };
  void add(InstrumentReading::Kind kind, bool gradient, const std::string& node, const std::string& name, ValueId value,
           double unscale);
  /// Why steps were passed over since the last look: "looking took 120 ms a step, and may take 3 % of the time".
  std::string why_no_look() const;
  /// The norms that the item's own pass shows.
  GradientSize size_at_last_look(const Item& item) const;

  std::shared_ptr<const Program> program_;
  uint64_t seed_;
  std::vector<Item> items_;
  std::optional<ValueProbe> probe_;
  GradientMeter meter_;
  GradientPaths paths_;
  const double budget_;
  InstrumentPace pace_;
  uint64_t step_ = 0, looks_ = 0, steps_ = 0;
  double begun_ = 0;      // this thread's clock where the step was begun
  double last_look_ = 0;  // seconds
  bool looking_ = false;
  std::shared_ptr<const InstrumentReadings> readings_;  // null: there was a look since
};

}  // namespace hw
