// BestWeights: the weights of the lowest loss on the validation split, and how long a run waits for a lower one.
// Single threaded: the session's worker.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "engine/plan/weights.h"
#include "engine/program/program.h"
#include "engine/train/checkpoint.h"

namespace hw {

/// The best of measurements that can be compared: the same graph, the same samples.
class BestWeights {
 public:
  /// None: nothing finite was measured yet.
  const std::optional<Best>& best() const { return best_; }
  void drop() { best_.reset(); }
  void take_over(std::optional<Best> best) { best_ = std::move(best); }
  /// A loss that was measured after `step` steps. `weights` is called where it is the lowest so far; one that is not
  /// finite never is.
  void measured(double loss, uint64_t step, const std::function<std::shared_ptr<const Weights>()>& weights);
  /// Whether `patience` measurements since were all worse; 0: it never ends.
  bool is_out_of_patience(int64_t patience) const;
  /// The run goes on for as many measurements as if the best were the last.
  void wait_anew();
  bool are(const std::shared_ptr<const Weights>& weights) const { return best_ && best_->weights == weights; }
  /// Drops them where they are not all parameters of `program`, in their sizes.
  void fit(const Program& program);
  /// Under the new names of nodes that moved.
  void move(const MovedNodes& moved);

 private:
  std::optional<Best> best_;
};

}  // namespace hw
