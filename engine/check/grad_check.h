// Gradient check: the adjoints of a graph against central differences of its loss, in f64.
#pragma once

#include <atomic>
#include <functional>

#include "engine/run/session.h"

namespace hw {

/// `zero`: the adjoint is 0, but the loss changes. `dead`: neither adjoint nor loss change. `unclear`: the loss changes
/// less than its own rounding shows.
enum class GradVerdict : uint8_t { right, wrong, zero, dead, unclear };
/// "right", "wrong", "zero", "dead", "unclear".
std::string_view name(GradVerdict verdict);

/// A value that the loss is differentiated by.
struct GradBlock {
  bool is_parameter = false;
  std::string node;  // whose output or parameter it is
  std::string name;  // "encoder.y", "mlp.layer_0"
  ValueId value = kNoValue;
  ValueId gradient = kNoValue;  // none: no adjoint reaches it, which says that its gradient is 0
  double unscale = 1;           // what its stored gradient must be multiplied by
};

/// One derivative: of an element, or along a random direction with entries in [−1, 1] (index < 0).
struct GradDerivative {
  int64_t index = -1;
  double adjoint = 0, difference = 0;
};

struct GradResult {
  GradBlock block;
  Dims dims;
  GradVerdict verdict = GradVerdict::right;
  /// Derivatives taken; those at a kink (ReLU at 0, a clamp's edge, a cell's border: the two sides differ, and the
  /// adjoint is one of them), which count as right; and those that are wrong.
  size_t checks = 0, kinks = 0, wrong = 0;
  double largest = 0;      // |derivative|
  GradDerivative worst;    // by error
  bool inherited = false;  // wrong only because a gradient that it is made of is wrong
};

struct GradReport {
  std::vector<GradResult> results;    // parameters and wires, in the order of the forward pass
  std::vector<std::string> suspects;  // nodes whose adjoint is wrong: what flows into their backward pass is right
  double loss = 0;
  uint64_t seed = 0, step = 0;
  bool passed() const { return suspects.empty() && !any_wrong(); }
  bool any_wrong() const;
};

/// What is checked: a program with its adjoint, of one scalar.
struct GradSubject {
  std::shared_ptr<const Program> program;
  ValueId loss = kNoValue;
  std::vector<GradBlock> blocks;
  uint64_t seed = 0;
};

struct GradCheckOptions {
  std::string device = "ref";  // what computes in f64
  uint64_t step = 0;           // 0-based: random draws and batches
  double epsilon = 1e-6;       // of the differences, in each element
  double absolute =
      1e-5;  // tolerances: absolute · the block's largest derivative (at most 1) + relative · |derivative|
  double relative = 1e-3;
  std::shared_ptr<const Weights> weights;  // null: initial ones for the seed
  std::function<void(double)> progress;    // share that is done
  const std::atomic<bool>* cancel = nullptr;
};

/// All wires with a gradient and all trainable parameters of the Train node's cone, without loss scaling. Errors: those
/// of plan_training.
Result<GradSubject> grad_subject(const Graph& graph, Assets& assets);
/// A copy in which source nodes draw at most `samples` samples a step: checks cost as many steps as elements.
Graph with_fewer_samples(const Graph& graph, int64_t samples);

/// Blocks of up to 64 elements are checked element by element; larger ones along 16 random directions, at the 16
/// elements of largest gradient, and at 16 others. What random and sampling ops draw is drawn once; what stop_gradient
/// hands on stays as it is. Errors: HW-R001, HW-R002, HW-R003 (the loss is not finite), HW-R004, HW-F005. Any thread.
Result<GradReport> check_gradients(const GradSubject& subject, const GradCheckOptions& options);

}  // namespace hw
