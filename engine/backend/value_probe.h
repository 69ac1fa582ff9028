// ValueProbe: looks at chosen values of a program while it runs, where and when a device makes them.
#pragma once

#include <atomic>
#include <vector>

#include "engine/backend/rounding_losses.h"
#include "engine/core/magnitudes.h"
#include "engine/core/tensor.h"
#include "engine/program/program.h"

namespace hw {

/// What a probe saw of one value since begin(), of every element. Several runs (micro-batches) add up.
struct ValueLook {
  int64_t count = 0, infs = 0, nans = 0;
  int64_t zeros = 0, subnormal = 0, saturated = 0;  // as Magnitudes'
  double smallest = 0, largest = 0;                 // |x| of finite values that are not 0; 0: there are none
  /// Where the device computes in a wider dtype than it stores (cpu: f32 or f64; ref: f64), of all elements; of a hash
  /// grid's table gradient, on cpu and cuda, of those that were touched: the others are 0 before and after. States that
  /// are the rounded copy of a master: of all elements, beside the master's. Else nothing was rounded.
  RoundingLosses losses;

  ValueLook& operator+=(const ValueLook& other);
};

/// The look at `count` elements with these magnitudes; nothing is known of their rounding.
ValueLook look_of(const Magnitudes& magnitudes, int64_t count);

/// Devices call wants, losses and see; for one value no two threads give the same `lane` or the same elements at once.
class ValueProbe {
 public:
  static constexpr int64_t kSamples = 4096;

  /// Looks at float values of `program`, which outlives the probe: what its ops make, and views of parameters, seen
  /// before each run, as its ops read them.
  ValueProbe(const Program& program, const std::vector<ValueId>& values);

  /// Forgets what was seen; draws new places to sample.
  void begin(uint64_t seed, uint64_t step);
  const std::vector<ValueId>& values() const { return values_; }
  /// The look at values()[k].
  ValueLook look(size_t k) const;
  /// The sample of values()[k] in the last run: one element of each of up to kSamples equal stretches of the flattened
  /// value, at a place that Philox draws.
  const Tensor& sample(size_t k) const { return samples_[k]; }
  /// Where values()[k] == value. Only where wants(value).
  size_t slot(ValueId value) const { return static_cast<size_t>(slot_of_[value]); }
  /// The flat indices that are sampled of a value with `count` elements: ascending, at most kSamples.
  std::vector<int64_t> places(int64_t count) const;
  /// Processor seconds that looking took since begin(); of a pool of threads their mean.
  double seconds() const;

  // ---- for devices

  /// Before a run: lanes 0 … lanes − 1 will be used.
  void use_lanes(size_t lanes);
  bool wants(ValueId value) const { return slot_of_[value] >= 0; }
  /// Where the kernel that makes `value` counts its losses; null: the value is not looked at.
  RoundingLosses* losses(ValueId value, size_t lane);
  /// Elements [first, first + count) of `value` are made. Any lane; nothing where the value is not looked at.
  void see(ValueId value, size_t lane, int64_t first, int64_t count, const void* elements);
  /// A whole value, on all threads. `master`: the same elements before they were rounded, or none. Not in a
  /// parallel_for.
  void see_whole(ValueId value, const void* elements, DType master_dtype = DType::f32, const void* master = nullptr);
  void add_seconds(double seconds) { seconds_ += seconds; }

 private:
  int64_t place(int64_t k, int64_t samples, int64_t count) const;
  void take_samples(size_t slot, int64_t first, int64_t count, const std::byte* elements);

  const Program& program_;
  std::vector<ValueId> values_;
  std::vector<int32_t> slot_of_;               // by value; −1: not looked at
  std::vector<std::vector<ValueLook>> lanes_;  // by lane, then slot
  std::vector<Tensor> samples_;                // by slot
  std::vector<double> jitter_;                 // by sample: where in its stretch, in [0, 1)
  double seconds_ = 0;
};

}  // namespace hw
