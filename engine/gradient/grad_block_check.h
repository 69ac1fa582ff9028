// Checks the gradient of one block: takes derivatives and judges them.
#pragma once

#include <mutex>

#include "engine/backend/backend.h"
#include "engine/gradient/grad_check.h"
#include "engine/gradient/grad_directions.h"

namespace hw {

/// A program in f64 whose adjoint has run. What perturbed programs read at their boundary comes from `adjoint`. Blocks
/// are checked by several threads: `reading` is held by who compiles for the device or reads from the adjoint's run.
struct AdjointRun {
  std::shared_ptr<const Program> twin;
  std::shared_ptr<Device> device;
  std::shared_ptr<States> states;
  std::unique_ptr<Executable> adjoint;
  StepInputs step;
  ValueId loss_id = kNoValue;
  double loss = 0;
  mutable std::mutex reading;
};

/// The contribution of one node that reads a block to its gradient.
struct GradPart {
  uint32_t reader = 0;             // index into Program::nodes
  std::vector<ValueId> gradients;  // summands
};

/// For one block, on one thread; the run outlives it. With a part, only what its reader reads is perturbed, and its
/// summands are checked.
class GradBlockCheck {
 public:
  GradBlockCheck(const AdjointRun& run, const GradCheckOptions& options, const GradBlock& block,
                 const GradPart* part = nullptr);
  /// `progress` gets the share of its derivatives that is done, on this thread; may be empty.
  Result<GradResult> check(const std::function<void(double)>& progress = {});

 private:
  /// Where derivatives are taken: the block's values + `offset` (empty: 0).
  struct Point {
    std::vector<double> offset;
    double loss = 0;
    std::vector<double> gradient;  // by the adjoint
  };
  struct Taken {
    GradDerivative derivative;
    double left = 0, right = 0;
  };
  enum class Finding : uint8_t { right, kink, wrong, unclear };

  Status start();
  /// The numbers of a value of the adjoint's run.
  Result<std::vector<double>> read(ValueId value) const;
  Status add_gradient(ValueId gradient, Point& point) const;
  Result<double> loss_at(const Point& point, const Directions& directions, const Direction& d, double step);
  Result<Taken> take(const Point& point, const Directions& directions, const Direction& d, double epsilon);
  double along(const Point& point, const Directions& directions, const Direction& d);
  /// Takes the derivative `t` again with shorter steps while it is wrong: a step may cross kinks that a shorter one
  /// does not reach. Right also counts where that changed the difference by more than rounding does.
  Result<bool> agrees(const Point& point, const Directions& directions, const Direction& d, Taken& t);
  Result<Finding> judge(const Directions& directions, const Direction& d, Taken& t);
  /// A point nearby, at which no two values are equal that are so by chance or by construction.
  Status step_aside();

  /// `factor` times the direction, into as many numbers as the block has. Of a random direction each number is as much
  /// longer as the step for its value is: a mask's −3.4e38 does not size the steps of what it is added to.
  void fill(const Directions& directions, const Direction& d, double factor, double* out) const;
  /// The step for values of this magnitude: epsilon, more where epsilon is below their rounding.
  double step_for(double value) const;
  /// The first step along `d`.
  double step_along(const Direction& d) const;
  double tolerance(double epsilon) const;
  double error(double a, double b, double epsilon) const;
  /// The difference that rounding the loss alone can cause.
  double noise(double epsilon) const;
  GradVerdict verdict(double largest_adjoint) const;

  const AdjointRun& run_;
  const GradCheckOptions& o_;
  const std::optional<GradPart> part_;
  GradResult r_;
  std::vector<double> values_;
  double largest_value_ = 0;
  double reach_ = 1;    // the longest of the steps for the values, in epsilons
  bool shows_ = false;  // any derivative in the loss, beyond its noise
  std::unique_ptr<Executable> forward_;
  ValueId target_ = kNoValue;
  Tensor perturbation_;
  Point here_, aside_;
};

}  // namespace hw
