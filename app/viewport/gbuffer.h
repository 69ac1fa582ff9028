// The G-buffer: per pixel position, normal and the surface's own colour in a view, and their copies for the CPU.
#pragma once

#include <memory>
#include <span>

#include "app/viewport/gpu_mesh.h"

namespace hw::viewport {

class GBuffer {
 public:
  using Half4 = std::array<uint16_t, 4>;

  /// `read_albedo` also copies the mesh's colours back. HW-V006 for a size of zero or beyond the device's limit.
  static Result<std::shared_ptr<GBuffer>> create(const Device& device, const Pipelines& pipelines, VkExtent2D extent,
                                                 bool read_albedo);

  /// Records upload, drawing and, unless nobody reads it, read-back. A null mesh leaves every pixel empty.
  void record(Submission& submission, const Pipelines& pipelines, GpuMesh* mesh,
              const std::array<float, 16>& clip_from_object, View view, bool read_back = true) const;

  /// What was read back: rows top to bottom; valid once the submission's fence has signalled. `w` of a position is 1
  /// where the mesh is.
  std::span<const std::array<float, 4>> positions() const { return view<std::array<float, 4>>(position_copy_); }
  std::span<const Half4> normals() const { return view<Half4>(normal_copy_); }
  std::span<const Half4> albedos() const { return view<Half4>(albedo_copy_); }

  VkExtent2D extent() const { return extent_; }
  const Image2D& position_image() const { return position_; }
  const Image2D& normal_image() const { return normal_; }
  const Image2D& albedo_image() const { return albedo_; }

 private:
  template <class T>
  std::span<const T> view(const Buffer& buffer) const {
    return {static_cast<const T*>(buffer.data()), buffer.size() / sizeof(T)};
  }

  VkExtent2D extent_{};
  Image2D position_, normal_, albedo_, depth_;
  UniqueFramebuffer framebuffer_;
  Buffer position_copy_, normal_copy_, albedo_copy_;
};

/// IEEE 754 binary16 to binary32.
float half_to_float(uint16_t half);

}  // namespace hw::viewport
