#include "app/models/weighted_field.h"

#include <algorithm>

namespace hw::app {

std::shared_ptr<const Field> WeightedField::with(std::shared_ptr<const Weights> weights) {
  return std::make_shared<const Field>(
      [self = shared_from_this(), weights = std::move(weights)](
          std::span<const std::array<float, 3>> positions,
          std::span<const std::array<float, 3>> normals) -> Result<std::vector<std::array<float, 3>>> {
        const std::lock_guard lock(self->mutex_);
        if (!self->prepared_ || self->held_ != weights) {
          HW_CHECK(self->evaluator_->set_weights(weights, self->seed_));
          self->prepared_ = true;
          self->held_ = weights;
        }
        HW_TRY(const std::vector<float> values, self->evaluator_->evaluate(positions, normals));
        const auto channels = static_cast<size_t>(self->evaluator_->channels());
        std::vector<std::array<float, 3>> colours(positions.size());
        for (size_t i = 0; i < colours.size(); ++i) {
          for (size_t c = 0; c < 3; ++c) colours[i][c] = values[i * channels + std::min(c, channels - 1)];
        }
        return colours;
      });
}

}  // namespace hw::app
