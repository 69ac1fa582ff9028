// WeightedShader: a field's shader with snapshots of weights, each usable as one field of the device that draws.
#pragma once

#include <mutex>

#include "engine/field/gpu_field.h"
#include "engine/field/shader_field.h"

namespace hw::app {

/// Shares one program, which makes what the shader reads, among snapshots.
class WeightedShader : public std::enable_shared_from_this<WeightedShader> {
 public:
  WeightedShader(ShaderField field, uint64_t seed)
      : field_(std::move(field)), shader_(std::make_shared<const shader::FieldShader>(field_.shader())), seed_(seed) {}
  /// The field with these weights; null: initial ones.
  std::shared_ptr<const GpuField> with(std::shared_ptr<const Weights> weights);

 private:
  std::mutex mutex_;
  ShaderField field_;
  const std::shared_ptr<const shader::FieldShader> shader_;
  const uint64_t seed_;
};

}  // namespace hw::app
