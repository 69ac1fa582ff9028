#include "engine/backend/vulkan/instance.h"

#include <algorithm>

#include "engine/backend/vulkan/vulkan_error.h"
#include "engine/core/sizes.h"

namespace hw::vulkan {
namespace {

/// Calls visit(name, flag) for each feature that the kernels need.
template <class Features, class Visit>
void each_needed(Features& f, Visit visit) {
  visit("shaderFloat64", f.core.features.shaderFloat64);
  visit("shaderInt64", f.core.features.shaderInt64);
  visit("shaderInt16", f.core.features.shaderInt16);
  visit("storageBuffer16BitAccess", f.v11.storageBuffer16BitAccess);
  visit("storageBuffer8BitAccess", f.v12.storageBuffer8BitAccess);
  visit("shaderInt8", f.v12.shaderInt8);
  visit("shaderBufferInt64Atomics", f.v12.shaderBufferInt64Atomics);
  visit("scalarBlockLayout", f.v12.scalarBlockLayout);
  visit("bufferDeviceAddress", f.v12.bufferDeviceAddress);
  visit("timelineSemaphore", f.v12.timelineSemaphore);
}

AdapterKind kind_of(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return AdapterKind::discrete;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return AdapterKind::integrated;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return AdapterKind::software;
    default:
      return AdapterKind::virtual_gpu;
  }
}

std::string lacks(VkPhysicalDevice device, uint32_t version) {
  if (version < VK_API_VERSION_1_2) return "Vulkan 1.2";
  NeededFeatures has;
  each_needed(has, [](const char*, VkBool32& flag) { flag = VK_FALSE; });
  vkGetPhysicalDeviceFeatures2(device, &has.core);
  std::string list;
  const auto more = [&](bool there, const char* name) {
    if (!there) list += (list.empty() ? "" : ", ") + std::string(name);
  };
  each_needed(has, [&](const char* name, VkBool32 flag) { more(flag, name); });
  VkPhysicalDeviceFloatControlsProperties floats{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES};
  VkPhysicalDeviceSubgroupProperties subgroups{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
  subgroups.pNext = &floats;
  VkPhysicalDeviceProperties2 properties{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
  properties.pNext = &subgroups;
  vkGetPhysicalDeviceProperties2(device, &properties);
  more(floats.shaderSignedZeroInfNanPreserveFloat32, "shaderSignedZeroInfNanPreserveFloat32");
  more(floats.shaderSignedZeroInfNanPreserveFloat64, "shaderSignedZeroInfNanPreserveFloat64");
  const bool ballots = (subgroups.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) &&
                       (subgroups.supportedOperations & VK_SUBGROUP_FEATURE_BALLOT_BIT);
  more(ballots, "subgroup ballots");
  more(compute_family(device) != ~0u, "a queue that computes");
  return list;
}

Adapter adapter_of(VkPhysicalDevice device) {
  VkPhysicalDeviceProperties properties{};
  vkGetPhysicalDeviceProperties(device, &properties);
  VkPhysicalDeviceMemoryProperties memory{};
  vkGetPhysicalDeviceMemoryProperties(device, &memory);
  Adapter adapter{.name = properties.deviceName, .kind = kind_of(properties.deviceType)};
  for (uint32_t i = 0; i < memory.memoryHeapCount; ++i)
    if (memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
      adapter.memory_bytes = std::max<size_t>(adapter.memory_bytes, memory.memoryHeaps[i].size);
  if (properties.apiVersion >= VK_API_VERSION_1_1) {
    VkPhysicalDeviceMaintenance3Properties limits{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES};
    VkPhysicalDeviceProperties2 more{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    more.pNext = &limits;
    vkGetPhysicalDeviceProperties2(device, &more);
    constexpr VkDeviceSize kUnit = VkDeviceSize{2} << 20;  // gpu::Pool rounds up to it
    adapter.block_bytes = static_cast<size_t>(limits.maxMemoryAllocationSize / kUnit * kUnit);
  }
  adapter.lacks = lacks(device, properties.apiVersion);
  return adapter;
}

Error no_vulkan(const std::string& reason) {
  return {codes::no_gpu, "vulkan", reason,
          "Install a graphics driver with Vulkan, or mesa-vulkan-drivers for computing on the CPU."};
}

Result<PhysicalDevices> find_devices() {
  VkApplicationInfo application{.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.pApplicationName = "Halfwire";
  application.apiVersion = VK_API_VERSION_1_2;
  VkInstanceCreateInfo info{.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  info.pApplicationInfo = &application;
  PhysicalDevices found;
  if (const VkResult made = vkCreateInstance(&info, nullptr, &found.instance); made != VK_SUCCESS)
    return no_vulkan(made == VK_ERROR_INCOMPATIBLE_DRIVER ? "There is no driver for Vulkan."
                                                          : "Vulkan does not start: " + result_name(made) + ".");
  uint32_t count = 0;
  std::vector<VkPhysicalDevice> all;
  if (vkEnumeratePhysicalDevices(found.instance, &count, nullptr) == VK_SUCCESS) {
    all.resize(count);
    if (vkEnumeratePhysicalDevices(found.instance, &count, all.data()) < 0) count = 0;
    all.resize(count);  // there may be fewer by now
  }
  if (all.empty()) return no_vulkan("Vulkan is installed but finds no device.");
  std::vector<std::pair<VkPhysicalDevice, Adapter>> pairs;
  for (const VkPhysicalDevice device : all) pairs.emplace_back(device, adapter_of(device));
  std::ranges::stable_sort(pairs, {},
                           [](const auto& pair) { return std::pair(!pair.second.lacks.empty(), pair.second.kind); });
  for (auto& [device, adapter] : pairs) {
    if (adapter.kind != AdapterKind::software) raise_size_limit(adapter.memory_bytes);
    found.handles.push_back(device);
    found.adapters.push_back(std::move(adapter));
  }
  return found;
}

}  // namespace

NeededFeatures::NeededFeatures() {
  core.pNext = &v11;
  v11.pNext = &v12;
  each_needed(*this, [](const char*, VkBool32& flag) { flag = VK_TRUE; });
}

uint32_t compute_family(VkPhysicalDevice device) {
  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
  uint32_t chosen = ~0u;
  for (uint32_t i = 0; i < count; ++i) {
    const VkQueueFlags flags = families[i].queueFlags;
    if (!(flags & VK_QUEUE_COMPUTE_BIT)) continue;
    if (!(flags & VK_QUEUE_GRAPHICS_BIT)) return i;
    if (chosen == ~0u) chosen = i;
  }
  return chosen;
}

const Result<PhysicalDevices>& physical_devices() {
  static const Result<PhysicalDevices> found = find_devices();
  return found;
}

const Result<std::vector<Adapter>>& adapters() {
  static const Result<std::vector<Adapter>> all = []() -> Result<std::vector<Adapter>> {
    const auto& found = physical_devices();
    if (!found) return found.error();
    return found->adapters;
  }();
  return all;
}

std::string result_name(VkResult result) {
  switch (result) {
#define HW_NAME(name) \
  case name:          \
    return #name;
    HW_NAME(VK_ERROR_OUT_OF_HOST_MEMORY)
    HW_NAME(VK_ERROR_OUT_OF_DEVICE_MEMORY)
    HW_NAME(VK_ERROR_INITIALIZATION_FAILED)
    HW_NAME(VK_ERROR_DEVICE_LOST)
    HW_NAME(VK_ERROR_MEMORY_MAP_FAILED)
    HW_NAME(VK_ERROR_LAYER_NOT_PRESENT)
    HW_NAME(VK_ERROR_EXTENSION_NOT_PRESENT)
    HW_NAME(VK_ERROR_FEATURE_NOT_PRESENT)
    HW_NAME(VK_ERROR_INCOMPATIBLE_DRIVER)
    HW_NAME(VK_ERROR_TOO_MANY_OBJECTS)
    HW_NAME(VK_TIMEOUT)
#undef HW_NAME
    default:
      return "result " + std::to_string(result);
  }
}

}  // namespace hw::vulkan
