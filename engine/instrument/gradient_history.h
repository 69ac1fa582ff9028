// GradientHistory: how large gradients, weights and updates were over a training, look by look. Immutable.
#pragma once

#include <deque>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace hw {

/// Sizes at one look. NaN: not known. Infinite: what is measured holds an Inf or NaN.
///   norm: L2 norm of the true gradient (loss scale and gradient scales divided out), of the last micro-batch.
///   rms: its root mean square, norm ÷ √elements.
///   weight: L2 norm of the master weights before the update.
///   update: L2 norm of what the update changed in them ÷ weight; 0 where the step was left out. Not known of frozen
///     parameters and of weights that are all 0.
///   lost: of the elements whose gradient is not 0, the share that the update left as they were: it was smaller than
///     half a unit in the last place of the dtype that they are stored in. Known of parameters that the optimiser
///     updates in less than f32.
/// They are estimates for values with more than ValueProbe::kSamples elements, from a sample of that many, one of each
/// of equal stretches: of a sparse table, untouched entries included.
struct GradientSize {
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  double norm = kUnknown, rms = kUnknown, weight = kUnknown, update = kUnknown, lost = kUnknown;
};

/// What is followed: a wire, by its gradient, other than the loss and the numbers [] it is made of; or a parameter.
struct GradientSeries {
  enum class Kind : uint8_t { wire, parameter } kind = Kind::wire;
  std::string node, name;
  int64_t elements = 0;
  bool operator==(const GradientSeries&) const = default;
};

struct GradientSubjects {
  std::vector<GradientSeries> series;  // in the order of the forward pass
  std::vector<std::string> nodes;      // those of the series, in the same order, each once
  bool operator==(const GradientSubjects&) const = default;
};

struct GradientLook {
  uint64_t step = 0;  // 0-based
  std::vector<GradientSize> series;
  /// By node: norm and rms over all its output wires that have a gradient; weight and update over all its trainable
  /// parameters; lost is not known.
  std::vector<GradientSize> nodes;
  /// Not empty: for long before this look there was none, and why. A curve has a gap there.
  std::string gap;
};

struct GradientHistory {
  std::shared_ptr<const GradientSubjects> subjects;        // never null
  std::vector<std::shared_ptr<const GradientLook>> looks;  // ascending steps: every stride-th, and the last
  uint64_t stride = 1, added = 0;                          // added: looks so far
};

/// Appends looks; beyond `most` every second one goes, but not the first and the last. A gap is a distance of 64 steps
/// and more, and of more than kGap times the usual one, the median of the last looks'.
class GradientRecorder {
 public:
  static constexpr size_t kMostLooks = 512;
  static constexpr uint64_t kGap = 8;

  /// Goes on from `earlier` (may be null) where its subjects are the same.
  GradientRecorder(GradientSubjects subjects, const GradientHistory* earlier, size_t most = kMostLooks);
  /// Steps ascend; a look at a step that is not after the last begins anew. `why`: of a gap before it, if there is one.
  void add(GradientLook look, const std::string& why = "");
  const GradientSubjects& subjects() const { return *history_.subjects; }
  /// As it is now; looks are shared.
  std::shared_ptr<const GradientHistory> history() const { return std::make_shared<const GradientHistory>(history_); }

 private:
  void thin();
  bool is_gap(uint64_t distance) const;
  GradientHistory history_;
  std::deque<uint64_t> distances_;  // in steps, of the last looks
  size_t most_;
};

}  // namespace hw
