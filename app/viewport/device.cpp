#include "app/viewport/device.h"

#include <array>
#include <vector>

#include "engine/core/codes.h"

namespace hw::viewport {
namespace {

Result<VkFormat> find_depth_format(VkPhysicalDevice physical) {
  for (const VkFormat format : {VK_FORMAT_D32_SFLOAT, VK_FORMAT_X8_D24_UNORM_PACK32}) {
    VkFormatProperties properties{};
    vkGetPhysicalDeviceFormatProperties(physical, format, &properties);
    if (properties.optimalTilingFeatures & VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT) return format;
  }
  return Error{codes::no_vulkan_device, "", "The graphics device has no usable depth format.",
               "Update the graphics driver."};
}

std::vector<VkQueueFamilyProperties> families_of(VkPhysicalDevice physical) {
  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
  return families;
}

}  // namespace

Result<Device> Device::from(VkPhysicalDevice physical, VkDevice device, VkQueue queue, uint32_t queue_family) {
  Device d{.physical = physical, .device = device, .queue = queue, .queue_family = queue_family};
  vkGetPhysicalDeviceMemoryProperties(physical, &d.memory);
  VkPhysicalDeviceProperties properties{};
  vkGetPhysicalDeviceProperties(physical, &properties);
  d.limits = properties.limits;
  d.name = properties.deviceName;
  d.is_software = properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
  d.computes = (families_of(physical).at(queue_family).queueFlags & VK_QUEUE_COMPUTE_BIT) != 0;
  VkPhysicalDeviceFeatures features{};
  vkGetPhysicalDeviceFeatures(physical, &features);
  d.has_f64 = features.shaderFloat64;
  d.has_i64 = features.shaderInt64;
  HW_TRY(d.depth_format, find_depth_format(physical));
  return d;
}

Result<uint32_t> Device::graphics_family(VkPhysicalDevice physical) {
  const std::vector<VkQueueFamilyProperties> families = families_of(physical);
  for (uint32_t i = 0; i < families.size(); ++i)
    if (families[i].queueCount > 0 && (families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT)) return i;
  return Error{codes::no_vulkan_device, "", "The Vulkan device cannot draw.",
               "Install a graphics driver with Vulkan, or mesa-vulkan-drivers."};
}

Error vulkan_error(const char* call, VkResult result) {
  const std::string where = std::string(call).substr(0, std::string(call).find('('));
  if (result == VK_ERROR_OUT_OF_DEVICE_MEMORY || result == VK_ERROR_OUT_OF_HOST_MEMORY)
    return {codes::gpu_out_of_memory, where, "The graphics device is out of memory.",
            "Make the viewport smaller or close other programs."};
  if (result == VK_ERROR_DEVICE_LOST)
    return {codes::gpu_lost, where, "The graphics device was lost.",
            "Save, then restart the program; update the driver if it happens again."};
  return {codes::vulkan_failed, where, "Vulkan failed with code " + std::to_string(result) + ".",
          "Update the graphics driver."};
}

}  // namespace hw::viewport
