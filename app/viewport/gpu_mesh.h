// A mesh on the device: vertices, indices, textures. Staged on any thread, copied by the first submission that draws
// it.
#pragma once

#include <memory>
#include <vector>

#include "app/viewport/pipelines.h"
#include "app/viewport/submission.h"
#include "engine/core/mesh.h"

namespace hw::viewport {

/// HW-V007 for a mesh without triangles, HW-V008 for one whose arrays do not fit together.
Status check_mesh(const Mesh& mesh);

class GpuMesh {
 public:
  /// Allocates device memory and fills staging buffers (memory ~ 2x the mesh until the upload has finished).
  static Result<std::shared_ptr<GpuMesh>> stage(const Device& device, const Pipelines& pipelines, const Mesh& mesh);

  /// Records the copies if they are still to do; `submission` keeps the staging buffers.
  void upload(Submission& submission);
  /// Records the draws inside the G-buffer pass.
  void draw(VkCommandBuffer commands, const Pipelines& pipelines, const std::array<float, 16>& clip_from_object,
            View view) const;
  /// False: the mesh is larger than what a shader of this device can read; its wireframe shows the plain surface.
  bool has_wires() const { return wire_set_ != VK_NULL_HANDLE; }

 private:
  struct Part {
    uint32_t first_index = 0;
    uint32_t index_count = 0;
    std::array<float, 4> base_color{};
    size_t look = 0;  // index into looks_
  };
  /// A texture, and what it shows outside its square: a descriptor set.
  struct Look {
    size_t texture = 0;  // index into textures_
    Wrap wrap_u = Wrap::repeat, wrap_v = Wrap::repeat;
    auto operator<=>(const Look&) const = default;
  };
  Status stage_geometry(const Device& device, const Mesh& mesh);
  Result<size_t> stage_texture(const Device& device, const Image& image);
  Status write_descriptors(const Device& device, const Pipelines& pipelines);
  void draw_wires(VkCommandBuffer commands, const Pipelines& pipelines,
                  const std::array<float, 16>& clip_from_object) const;

  Buffer vertices_;
  Buffer indices_;
  std::vector<Image2D> textures_;  // 0 is white
  std::vector<Part> parts_;
  UniqueDescriptorPool pool_;
  std::vector<Look> looks_;            // those of the parts, each once
  std::vector<VkDescriptorSet> sets_;  // one a look
  VkDescriptorSet wire_set_ = VK_NULL_HANDLE;
  bool has_uvs_ = false;
  struct Staging {
    Buffer vertices, indices;
    std::vector<Buffer> textures;
  };
  std::shared_ptr<Staging> staging_;  // null once recorded
};

}  // namespace hw::viewport
