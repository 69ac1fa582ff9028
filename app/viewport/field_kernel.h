// The compute pass that evaluates a field at each covered pixel of a G-buffer, on the device that drew it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/viewport/descriptor_set.h"
#include "app/viewport/gbuffer.h"
#include "engine/shader/field/field_shader.h"

namespace hw::viewport {

/// Why `device` cannot evaluate the field: a feature, a limit, what the viewer has not; "": it can.
std::string lacks_for_field(const Device& device, const shader::FieldShader& field);

/// The field's function, and what calls it for each pixel, as SPIR-V. Any thread, takes some 50 ms. Error HW-R008:
/// what lacks_for_field says, or the compiler.
Result<std::vector<uint32_t>> compile_field(const Device& device, const shader::FieldShader& field);

/// The pipeline of a field, and its layouts. Immutable after creation.
class FieldKernel {
 public:
  /// `words`: of compile_field(). Any thread. Errors HW-V003 to 5.
  static Result<std::shared_ptr<const FieldKernel>> create(const Device& device, std::span<const uint32_t> words);
  VkPipeline pipeline() const { return pipeline_.get(); }
  VkPipelineLayout layout() const { return layout_.get(); }
  VkDescriptorSetLayout set_layout() const { return set_layout_.get(); }

 private:
  UniqueSetLayout set_layout_;
  UniquePipelineLayout layout_;
  UniquePipeline pipeline_;
};

/// What the kernel reads: one snapshot of the field's weights, in the device's own memory.
class FieldWeights {
 public:
  /// Any thread. `words`: of field_weights().
  static Result<std::shared_ptr<FieldWeights>> stage(const Device& device, std::span<const uint32_t> words);
  /// Records the copy, the first time. By the thread that submits.
  void upload(Submission& submission);
  const Buffer& buffer() const { return buffer_; }

 private:
  std::shared_ptr<const Buffer> staging_;  // until it is uploaded
  Buffer buffer_;
};

/// One evaluation: of a snapshot's field, on a G-buffer.
class FieldPass {
 public:
  FieldPass() = default;
  /// Errors HW-V003 to 5.
  static Result<FieldPass> create(const Device& device, const Pipelines& pipelines,
                                  std::shared_ptr<const FieldKernel> kernel, std::shared_ptr<FieldWeights> weights,
                                  const GBuffer& gbuffer);
  /// Behind the drawing of the G-buffer, which the caller keeps; the submission keeps all else. In bands of rows, each
  /// submitted by itself. Errors HW-V003 to 5.
  Status record(Submission& submission) const;
  /// Pixels of a band, about.
  static constexpr uint32_t kBand = 1 << 16;
  /// RGBA8 for each pixel, as ShadedFrame takes them. Colours beyond [0, 1] are clamped, NaN is 0.
  const std::shared_ptr<const Buffer>& colors() const { return colors_; }

 private:
  VkExtent2D extent_{};
  std::shared_ptr<const Buffer> colors_;
  std::shared_ptr<const DescriptorSet> set_;
  std::shared_ptr<const FieldKernel> kernel_;
  std::shared_ptr<FieldWeights> weights_;
};

}  // namespace hw::viewport
