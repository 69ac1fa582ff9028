// Gradient check: the adjoints of a program against central differences of its loss, in f64.
#pragma once

#include <atomic>
#include <functional>

#include "engine/gradient/grad_subject.h"
#include "engine/plan/weights.h"

namespace hw {

/// `kink`: right, but at least one derivative is taken where its two sides differ (ReLU at 0, a clamp's edge, a cell's
/// border, equal numbers in a window of a pool): the adjoint is that of one side, or, where several kinks meet, agrees
/// at a point beside them. `zero`: the adjoint is 0 (or what rounding leaves of it), but the loss changes. `dead`:
/// neither adjoint nor loss change. `unclear`: the loss changes less than its own rounding
/// shows, or is Inf or NaN beside the point.
enum class GradVerdict : uint8_t { right, kink, wrong, zero, dead, unclear };
/// "right", "at a kink", "wrong", "zero", "dead", "unclear".
std::string_view name(GradVerdict verdict);

/// One derivative: of an element, or along a random direction with entries in [−1, 1] (index < 0).
struct GradDerivative {
  int64_t index = -1;
  double adjoint = 0, difference = 0;
  double error = 0;  // |adjoint − difference| ÷ tolerance: wrong above 1
};

struct GradResult {
  GradBlock block;
  Dims dims;
  GradVerdict verdict = GradVerdict::right;
  size_t checks = 0, kinks = 0, wrong = 0, unclear = 0;  // derivatives: all, at a kink, wrong, with a loss not finite
  double largest = 0;                                    // |derivative|
  GradDerivative worst;                                  // by error; of those at no kink where there is one
  bool inherited = false;                                // wrong only because a gradient that it is made of is wrong
  /// Nodes that end a gradient on a way from the value to the loss (engine/gradient/stopped_gradients.h): adjoint and
  /// differences hold what they hand on fixed, so that both are a part of the loss's derivative alone.
  std::vector<std::string> held;
};

struct GradReport {
  std::vector<GradResult> results;    // parameters and wires, in the order of the forward pass
  std::vector<std::string> suspects;  // nodes whose adjoint is wrong: what flows into their backward pass is right
  double loss = 0;
  uint64_t seed = 0, step = 0;
  bool stopped = false;  // `results` are what was checked until then, and `suspects` are not known
  bool passed() const { return suspects.empty() && !any_wrong(); }
  bool any_wrong() const;
  size_t count(GradVerdict verdict) const;
  /// Values with a way to the loss that such a node holds fixed.
  size_t count_held() const;
};

struct GradCheckOptions {
  std::string device = "ref";  // what computes in f64
  uint64_t step = 0;           // 0-based: random draws and batches
  double epsilon = 1e-6;       // of the differences, in each element; more where values are above 1e4
  double absolute =
      1e-5;  // tolerances: absolute · the block's largest derivative (at most 1) + relative · |derivative|
  double relative = 1e-3;
  size_t all_up_to = 64;                   // elements of a block that are checked one by one; at least 32
  std::shared_ptr<const Weights> weights;  // null: initial ones for the seed
  bool partial_weights = false;            // initial ones for those that `weights` lack; else they are refused
  /// Share that is done, name of the block that is checked, before each derivative. Called by one thread at a time,
  /// which may be another each time.
  std::function<void(double, const std::string&)> progress;
  const std::atomic<bool>* cancel = nullptr;
  bool partial = false;  // when it is cancelled, what was checked until then is reported; else it is HW-R004
};

/// Blocks of up to `all_up_to` elements are checked element by element; larger ones as Directions says. What random and
/// sampling ops draw is drawn once; what ends a gradient (ends_gradient.h) stays as it is. Where the device computes in
/// the host's memory, thread_count() blocks are checked at once, or as many as memory has room for; the report is the
/// same, to the bit. Errors: HW-R001, HW-R002, HW-R003 (the loss is not finite), HW-R004, HW-F005. Any thread.
Result<GradReport> check_gradients(const GradSubject& subject, const GradCheckOptions& options);

/// The same of what these nodes read, make and hold (select_nodes). Where one of them is wrong, the whole subject is
/// checked for the suspects: the node at fault may lie behind the selection. Also HW-P001: nothing of them depends on a
/// trained parameter.
Result<GradReport> check_gradients_of(const GradSubject& subject, const std::set<std::string>& nodes,
                                      const GradCheckOptions& options);

/// The derivative of the loss along one random direction of all trained parameters together: of each an entry in
/// [−1, 1] times its block's largest |value|. Two forward passes beside the adjoint's whatever the number of blocks:
/// for whole networks. Its error counts the relative tolerance alone. Errors: as check_gradients.
Result<GradDerivative> check_gradient_along_all(const GradSubject& subject, const GradCheckOptions& options);

}  // namespace hw
