#include "engine/train/best_weights.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hw {

void BestWeights::measured(double loss, uint64_t step, const std::function<std::shared_ptr<const Weights>()>& weights) {
  if (std::isfinite(loss) && (!best_ || loss < best_->loss))
    best_ = Best{loss, step, 0, weights()};
  else if (best_)
    ++best_->measured;
}

bool BestWeights::is_out_of_patience(int64_t patience) const {
  return patience > 0 && best_ && best_->measured >= static_cast<uint64_t>(patience);
}

void BestWeights::wait_anew() {
  if (best_) best_->measured = 0;
}

void BestWeights::fit(const Program& program) {
  const auto holds = [&](const Param& param) {
    const auto found = best_->weights->find(param.name);
    return found != best_->weights->end() && found->second.dims() == program[param.view].dims;
  };
  if (best_ && !std::ranges::all_of(program.params, holds)) best_.reset();
}

void BestWeights::move(const MovedNodes& moved) {
  if (best_) move_nodes(*best_, moved);
}

}  // namespace hw
