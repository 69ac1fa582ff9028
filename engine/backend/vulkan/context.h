// A logical device with what all parts of the driver ask of it.
#pragma once

#include <vulkan/vulkan.h>

#include <memory>
#include <string>

#include "engine/backend/vulkan/spirv_module.h"
#include "engine/core/result.h"

namespace hw::vulkan {

struct Context {
  /// The context of adapters()[index], which can be used.
  static Result<std::unique_ptr<Context>> make(size_t index);
  ~Context();
  Context() = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// A memory type among `allowed` with all these properties; rather one that has the wanted ones too, and rather of
  /// the largest heap of the device. None: ~0.
  uint32_t memory_type(uint32_t allowed, VkMemoryPropertyFlags needed, VkMemoryPropertyFlags wanted) const;

  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;
  uint32_t family = 0;
  uint32_t most_groups = 65535;  // workgroups of one launch
  VkDeviceSize most_bytes = 0;   // of one block of memory
  double seconds_per_tick = 0;   // of time stamps; 0: the queue has none
  uint64_t tick_mask = 0;        // the bits of them that count
  int64_t most_turns = 0;        // of the loops of a thread, before llvmpipe ends them without a word; 0: any number
  uint32_t largest_heap = 0;     // of the device's own memory
  uint32_t most_blocks = 4096;   // of memory
  mutable uint32_t blocks = 0;   // that there are
  bool has_budget = false;       // VK_EXT_memory_budget
  FloatModes floats;             // that it has
  VkPhysicalDeviceMemoryProperties memory{};
};

}  // namespace hw::vulkan
