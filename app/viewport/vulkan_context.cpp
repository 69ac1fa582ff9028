#include "app/viewport/vulkan_context.h"

#include <vector>

#include "app/viewport/validation.h"
#include "engine/core/codes.h"

namespace hw::viewport {
namespace {

int preference(VkPhysicalDevice physical) {
  VkPhysicalDeviceProperties properties{};
  vkGetPhysicalDeviceProperties(physical, &properties);
  switch (properties.deviceType) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return 4;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return 3;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return 2;
    default:
      return 1;
  }
}

Result<VkPhysicalDevice> choose(VkInstance instance) {
  uint32_t count = 0;
  HW_VK(vkEnumeratePhysicalDevices(instance, &count, nullptr));
  std::vector<VkPhysicalDevice> all(count);
  if (count > 0) HW_VK(vkEnumeratePhysicalDevices(instance, &count, all.data()));
  VkPhysicalDevice best = VK_NULL_HANDLE;
  for (const VkPhysicalDevice physical : all)
    if (Device::graphics_family(physical) && (!best || preference(physical) > preference(best))) best = physical;
  if (best) return best;
  return Error{codes::no_vulkan_device, "", "Vulkan is installed but finds no device that can draw.",
               "Install a graphics driver with Vulkan, or mesa-vulkan-drivers for drawing on the CPU."};
}

}  // namespace

Result<std::unique_ptr<VulkanContext>> VulkanContext::create() {
  enable_validation_from_environment();
  std::unique_ptr<VulkanContext> context(new VulkanContext);
  VkApplicationInfo application{.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.pApplicationName = "Halfwire";
  application.apiVersion = VK_API_VERSION_1_0;
  VkInstanceCreateInfo instance_info{.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  instance_info.pApplicationInfo = &application;
  if (const VkResult result = vkCreateInstance(&instance_info, nullptr, &context->instance_); result != VK_SUCCESS)
    return Error{codes::no_vulkan, "vkCreateInstance", "Vulkan does not start (code " + std::to_string(result) + ").",
                 "Install a graphics driver with Vulkan, or mesa-vulkan-drivers for drawing on the CPU."};
  HW_TRY(const VkPhysicalDevice physical, choose(context->instance_));
  HW_TRY(const uint32_t family, Device::graphics_family(physical));

  const float priority = 1;
  VkDeviceQueueCreateInfo queue_info{.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  queue_info.queueFamilyIndex = family;
  queue_info.queueCount = 1;
  queue_info.pQueuePriorities = &priority;
  VkPhysicalDeviceFeatures has{}, features{};
  vkGetPhysicalDeviceFeatures(physical, &has);
  features.shaderFloat64 = has.shaderFloat64;
  features.shaderInt64 = has.shaderInt64;
  VkDeviceCreateInfo device_info{.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
  device_info.queueCreateInfoCount = 1;
  device_info.pQueueCreateInfos = &queue_info;
  device_info.pEnabledFeatures = &features;
  VkDevice device = VK_NULL_HANDLE;
  HW_VK(vkCreateDevice(physical, &device_info, nullptr, &device));
  context->device_.device = device;
  VkQueue queue = VK_NULL_HANDLE;
  vkGetDeviceQueue(device, family, 0, &queue);
  HW_TRY(context->device_, Device::from(physical, device, queue, family));
  return context;
}

VulkanContext::~VulkanContext() {
  if (device_.device) {
    vkDeviceWaitIdle(device_.device);
    vkDestroyDevice(device_.device, nullptr);
  }
  if (instance_) vkDestroyInstance(instance_, nullptr);
}

}  // namespace hw::viewport
