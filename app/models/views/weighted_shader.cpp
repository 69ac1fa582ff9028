#include "app/models/views/weighted_shader.h"

namespace hw::app {

std::shared_ptr<const GpuField> WeightedShader::with(std::shared_ptr<const Weights> weights) {
  return std::make_shared<const GpuField>(
      GpuField{shader_, [self = shared_from_this(), weights = std::move(weights)]() -> Result<std::vector<uint32_t>> {
                 const std::lock_guard lock(self->mutex_);
                 return self->field_.weights(weights.get(), self->seed_);
               }});
}

}  // namespace hw::app
