// Vulkan itself, started once in a process, and its physical devices in the order of adapters().
#pragma once

#include <vulkan/vulkan.h>

#include <vector>

#include "engine/backend/vulkan/adapters.h"

namespace hw::vulkan {

struct PhysicalDevices {
  VkInstance instance = VK_NULL_HANDLE;  // stays for as long as the process
  std::vector<VkPhysicalDevice> handles;
  std::vector<Adapter> adapters;  // the same, in words
};

/// Errors: as adapters().
const Result<PhysicalDevices>& physical_devices();

/// The queue family to compute on: one that draws nothing, where there is one. none: ~0.
uint32_t compute_family(VkPhysicalDevice device);

/// What the kernels need, to be asked for when a device is made. Not to be copied: it points into itself.
struct NeededFeatures {
  NeededFeatures();
  NeededFeatures(const NeededFeatures&) = delete;
  NeededFeatures& operator=(const NeededFeatures&) = delete;
  VkPhysicalDeviceFeatures2 core{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  VkPhysicalDeviceVulkan11Features v11{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES};
  VkPhysicalDeviceVulkan12Features v12{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
};

}  // namespace hw::vulkan
