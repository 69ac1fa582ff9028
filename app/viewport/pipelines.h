// The pipelines of the viewport, G-buffer (surface or wires) and compose, with what they share.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "app/viewport/gpu_memory.h"
#include "app/viewport/view.h"
#include "engine/core/mesh.h"

namespace hw::viewport {

constexpr VkFormat kPositionFormat = VK_FORMAT_R32G32B32A32_SFLOAT;
constexpr VkFormat kNormalFormat = VK_FORMAT_R16G16B16A16_SFLOAT;  // a unit vector to 3e-4; half the memory
constexpr VkFormat kAlbedoFormat = VK_FORMAT_R16G16B16A16_SFLOAT;  // holds every 8-bit colour to 1/16 of a step
constexpr VkFormat kPictureFormat = VK_FORMAT_R8G8B8A8_UNORM;      // what QSGVulkanTexture::fromNative assumes

/// Interleaved vertex: position, normal, uv, colour (RGBA8, sRGB-encoded).
struct Vertex {
  std::array<float, 3> position;
  std::array<float, 3> normal;
  std::array<float, 2> uv;
  std::array<uint8_t, 4> colour;
};
static_assert(sizeof(Vertex) == 9 * 4, "resources/shaders/wire.vert reads it by words");

/// Push constants, laid out as in the shaders.
struct GBufferPush {
  std::array<float, 16> clip_from_object;
  std::array<float, 4> base_color;
  View view;
};
struct WirePush {
  std::array<float, 16> clip_from_object;
};
struct ComposePush {
  std::array<float, 4> eye;
  std::array<float, 4> top, bottom;  // background
  std::array<float, 2> out_size;
  std::array<int32_t, 2> in_size;
  float scale;
  float split_x;
  float divider_x;
  uint32_t flags;
};

/// A module of these words of SPIR-V. Any thread.
Result<UniqueShader> create_shader(const Device& device, std::span<const uint32_t> words);

/// Immutable after creation; may be made on any thread.
struct Pipelines {
  static Result<Pipelines> create(const Device& device);

  /// For a texture of the mesh.
  VkSampler texture_sampler(Wrap u, Wrap v) const {
    return texture_samplers[static_cast<size_t>(u)][static_cast<size_t>(v)].get();
  }

  std::array<std::array<UniqueSampler, 3>, 3> texture_samplers;  // by Wrap along u, along v
  UniqueSampler nearest;                                         // G-buffer reads
  UniqueSetLayout texture_set_layout;
  UniqueSetLayout wire_set_layout;
  UniqueSetLayout compose_set_layout;
  UniquePipelineLayout gbuffer_layout;
  UniquePipelineLayout wire_layout;
  UniquePipelineLayout compose_layout;
  UniqueRenderPass gbuffer_pass;
  UniqueRenderPass compose_pass;
  UniquePipeline gbuffer;
  UniquePipeline wire;
  UniquePipeline compose;
};

}  // namespace hw::viewport
