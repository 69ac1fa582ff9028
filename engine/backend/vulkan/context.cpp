#include "engine/backend/vulkan/context.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "engine/backend/vulkan/instance.h"
#include "engine/backend/vulkan/vulkan_error.h"

namespace hw::vulkan {
namespace {

bool has_extension(VkPhysicalDevice device, const char* name) {
  uint32_t count = 0;
  vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> all(count);
  vkEnumerateDeviceExtensionProperties(device, nullptr, &count, all.data());
  return std::ranges::any_of(all, [&](const auto& e) { return std::strcmp(e.extensionName, name) == 0; });
}

// Where modes of f32 and f64 cannot be chosen apart, both or none.
FloatModes modes_of(const VkPhysicalDeviceFloatControlsProperties& p) {
  FloatModes m;
  m.preserves_nan_f32 = p.shaderSignedZeroInfNanPreserveFloat32;
  m.preserves_nan_f64 = p.shaderSignedZeroInfNanPreserveFloat64;
  m.preserves_subnormal_f32 = p.shaderDenormPreserveFloat32;
  m.preserves_subnormal_f64 = p.shaderDenormPreserveFloat64;
  m.rounds_even_f32 = p.shaderRoundingModeRTEFloat32;
  m.rounds_even_f64 = p.shaderRoundingModeRTEFloat64;
  const auto together = [](VkShaderFloatControlsIndependence apart, bool& f32, bool& f64) {
    if (apart == VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE) f32 = f64 = f32 && f64;
  };
  together(p.denormBehaviorIndependence, m.preserves_subnormal_f32, m.preserves_subnormal_f64);
  together(p.roundingModeIndependence, m.rounds_even_f32, m.rounds_even_f64);
  return m;
}

}  // namespace

Result<std::unique_ptr<Context>> Context::make(size_t index) {
  const auto& found = physical_devices();
  if (!found) return found.error();
  auto context = std::make_unique<Context>();
  Context& c = *context;
  c.physical = found->handles.at(index);
  c.family = compute_family(c.physical);

  VkPhysicalDeviceFloatControlsProperties floats{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES};
  VkPhysicalDeviceMaintenance3Properties limits{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES};
  limits.pNext = &floats;
  VkPhysicalDeviceDriverProperties driver{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
  floats.pNext = &driver;
  VkPhysicalDeviceProperties2 properties{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
  properties.pNext = &limits;
  vkGetPhysicalDeviceProperties2(c.physical, &properties);
  vkGetPhysicalDeviceMemoryProperties(c.physical, &c.memory);
  if (driver.driverID == VK_DRIVER_ID_MESA_LLVMPIPE) c.most_turns = 60'000;  // its limit is 65,535
  c.most_blocks = properties.properties.limits.maxMemoryAllocationCount;
  const auto own = [&](uint32_t i) {
    return c.memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT ? c.memory.memoryHeaps[i].size : 0;
  };
  for (uint32_t i = 1; i < c.memory.memoryHeapCount; ++i)
    if (own(i) > own(c.largest_heap)) c.largest_heap = i;
  c.floats = modes_of(floats);
  c.most_bytes = limits.maxMemoryAllocationSize;
  c.most_groups = std::min(65535u, properties.properties.limits.maxComputeWorkGroupCount[0]);
  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(c.physical, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(c.physical, &count, families.data());
  const uint32_t bits = families.at(c.family).timestampValidBits;
  c.tick_mask = bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  c.seconds_per_tick = bits > 0 ? static_cast<double>(properties.properties.limits.timestampPeriod) * 1e-9 : 0;
  c.has_budget = has_extension(c.physical, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);

  const float priority = 1;
  VkDeviceQueueCreateInfo queue{.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  queue.queueFamilyIndex = c.family;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  NeededFeatures features;
  VkDeviceCreateInfo info{.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
  info.pNext = &features.core;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  const char* budget = VK_EXT_MEMORY_BUDGET_EXTENSION_NAME;
  info.enabledExtensionCount = c.has_budget ? 1 : 0;
  info.ppEnabledExtensionNames = &budget;
  HW_VULKAN(vkCreateDevice(c.physical, &info, nullptr, &c.device));
  vkGetDeviceQueue(c.device, c.family, 0, &c.queue);
  return context;
}

Context::~Context() {
  if (device) vkDestroyDevice(device, nullptr);
}

uint32_t Context::memory_type(uint32_t allowed, VkMemoryPropertyFlags needed, VkMemoryPropertyFlags wanted) const {
  uint32_t best = ~0u;
  int most = -1;
  for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
    const VkMemoryType& type = memory.memoryTypes[i];
    if (!(allowed & 1u << i) || (type.propertyFlags & needed) != needed) continue;
    const int good = ((type.propertyFlags & wanted) == wanted ? 2 : 0) + (type.heapIndex == largest_heap ? 1 : 0);
    if (good <= most) continue;
    best = i;
    most = good;
  }
  return best;
}

}  // namespace hw::vulkan
