// PairedLoss: held-out losses of two trainings on the same batches, step by step near a place in the run.
#pragma once

#include <vector>

namespace hw {

/// Weights jitter from step to step, which has nothing to do with precision: a window of steps averages it out.
class PairedLoss {
 public:
  void add(double base, double other);
  bool empty() const { return base_.empty(); }
  /// Means; 0 when empty.
  double base() const;
  double other() const;
  /// other / base − 1, of the means; infinite where it is not a number.
  double rise() const;
  /// Half the width of about 95 % of what the true rise may be: from the scatter of blocks of steps. 1 where there are
  /// too few.
  double noise() const;

 private:
  std::vector<double> base_, other_;
};

}  // namespace hw
