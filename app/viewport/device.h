// The Vulkan device the viewport draws with: borrowed handles, errors and the limits that matter.
#pragma once

#include <vulkan/vulkan.h>

#include <string>

#include "engine/core/result.h"

namespace hw::viewport {

/// Borrowed handles: Qt's or VulkanContext's, which must outlive everything made from them. Work is submitted to
/// `queue` by one thread only; creating resources is allowed on any thread.
struct Device {
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;
  uint32_t queue_family = 0;
  VkPhysicalDeviceMemoryProperties memory{};
  VkPhysicalDeviceLimits limits{};
  VkFormat depth_format = VK_FORMAT_UNDEFINED;
  std::string name;
  bool is_software = false;               // the CPU draws
  bool computes = false;                  // the queue can
  bool has_f64 = false, has_i64 = false;  // in shaders

  /// All features of Vulkan 1.0 that `physical` has of 64 bits must be enabled in `device`, as Qt enables them.
  static Result<Device> from(VkPhysicalDevice physical, VkDevice device, VkQueue queue, uint32_t queue_family);
  /// The first queue family that draws: the one Qt takes. HW-V002 when there is none.
  static Result<uint32_t> graphics_family(VkPhysicalDevice physical);
};

/// HW-V003 out of memory, HW-V004 device lost, HW-V005 any other failure of `call`.
Error vulkan_error(const char* call, VkResult result);

}  // namespace hw::viewport

/// Returns an Error from the enclosing function when a Vulkan call fails.
#define HW_VK(call)                                                                           \
  do {                                                                                        \
    const VkResult hw_vk_result_ = (call);                                                    \
    if (hw_vk_result_ != VK_SUCCESS) return hw::viewport::vulkan_error(#call, hw_vk_result_); \
  } while (0)
