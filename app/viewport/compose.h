// The compose pass: a G-buffer with its matching field colours becomes the picture.
#pragma once

#include <memory>

#include "app/viewport/camera.h"
#include "app/viewport/descriptor_set.h"
#include "app/viewport/gbuffer.h"
#include "app/viewport/view.h"

namespace hw::viewport {

/// How the picture is put together. `split` in [0,1]: the mesh's own texture is left of it, the field right of it.
struct ComposeOptions {
  float split = 0.0f;
  bool lit = false;     // headlight; off shows the field's own values
  bool divider = true;  // a line of one device pixel at the split
  Background background;
  bool operator==(const ComposeOptions&) const = default;
};

/// A matched pair: the G-buffer, and the colours evaluated on its own positions. Never mixed with another.
class ShadedFrame {
 public:
  /// `colors`: RGBA8 per G-buffer pixel in a storage buffer; null: no field.
  static Result<std::shared_ptr<ShadedFrame>> create(const Device& device, const Pipelines& pipelines,
                                                     std::shared_ptr<const GBuffer> gbuffer,
                                                     std::shared_ptr<const Buffer> colors);
  const GBuffer& gbuffer() const { return *gbuffer_; }
  bool has_field() const { return has_field_; }
  VkDescriptorSet set() const { return set_.set; }

 private:
  std::shared_ptr<const GBuffer> gbuffer_;
  std::shared_ptr<const Buffer> colors_;
  bool has_field_ = false;
  DescriptorSet set_;
};

/// A storage buffer for the colours of `pixels` G-buffer pixels, mapped for writing. Any thread.
Result<std::shared_ptr<const Buffer>> create_color_buffer(const Device& device, size_t pixels);

/// The finished image, RGBA8; in SHADER_READ_ONLY layout after every compose.
class Picture {
 public:
  static Result<std::shared_ptr<Picture>> create(const Device& device, const Pipelines& pipelines, VkExtent2D extent);
  /// Records the pass; the submission keeps the frame and the picture. `eye` is in object space.
  void record(const std::shared_ptr<Submission>& submission, const Pipelines& pipelines,
              std::shared_ptr<const ShadedFrame> frame, const Float3& eye, const ComposeOptions& options) const;
  VkImage image() const { return image_.get(); }
  VkExtent2D extent() const { return image_.extent(); }

 private:
  Image2D image_;
  UniqueFramebuffer framebuffer_;
};

}  // namespace hw::viewport
