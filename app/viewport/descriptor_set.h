// A descriptor set of sampled images, then storage buffers: its layout, and one with its pool.
#pragma once

#include <span>

#include "app/viewport/gpu_memory.h"

namespace hw::viewport {

/// Bindings 0, 1, … of these types.
Result<UniqueSetLayout> create_set_layout(const Device& device, std::span<const VkDescriptorType> types,
                                          VkShaderStageFlags stage);

struct DescriptorSet {
  /// `images`, in SHADER_READ_ONLY layout when they are read, at the first bindings, whole `buffers` behind them.
  static Result<DescriptorSet> create(const Device& device, VkDescriptorSetLayout layout, VkSampler sampler,
                                      std::span<const VkImageView> images, std::span<const VkBuffer> buffers);
  UniqueDescriptorPool pool;
  VkDescriptorSet set = VK_NULL_HANDLE;
};

}  // namespace hw::viewport
