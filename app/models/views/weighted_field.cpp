#include "app/models/views/weighted_field.h"

namespace hw::app {

std::shared_ptr<const ColorField> WeightedField::with(std::shared_ptr<const Weights> weights) {
  return std::make_shared<const ColorField>(
      [self = shared_from_this(), weights = std::move(weights)](
          std::span<const std::array<float, 3>> positions,
          std::span<const std::array<float, 3>> normals) -> Result<std::vector<std::array<float, 3>>> {
        const std::lock_guard lock(self->mutex_);
        if (!self->prepared_ || self->held_ != weights) {
          self->prepared_ = false;
          HW_CHECK(self->evaluator_->set_weights(weights, self->seed_));
          self->prepared_ = true;
          self->held_ = weights;
        }
        return evaluate_colors(*self->evaluator_, positions, normals);
      });
}

}  // namespace hw::app
