#include "vulkan_faults.h"

#include <dlfcn.h>
#include <vulkan/vulkan.h>

#include <map>
#include <optional>

namespace hw::test {
namespace {

struct Fault {
  FaultKind kind;
  VulkanCall call;
  size_t number;  // of such calls that still come before
  bool came = false;
};

struct Faults {
  std::optional<Fault> planted;
  std::map<VkQueue, VkDevice> devices;
  std::map<VkDevice, FaultKind> lost;
  size_t blocks = 0;
};

// Never destroyed: devices of static duration call at exit.
Faults& faults() {
  static Faults& all = *new Faults;
  return all;
}

/// Whether the planted fault comes at this call.
bool comes(VulkanCall call) {
  std::optional<Fault>& fault = faults().planted;
  if (!fault || fault->came || fault->call != call) return false;
  fault->came = fault->number == 0;
  if (!fault->came) --fault->number;
  return fault->came;
}

/// How the device was lost, now or before.
std::optional<FaultKind> loss(VulkanCall call, VkDevice device) {
  if (comes(call)) faults().lost.emplace(device, faults().planted->kind);
  const auto found = faults().lost.find(device);
  return found == faults().lost.end() ? std::nullopt : std::optional(found->second);
}

/// Whether an allocation fails.
bool lacks_memory() {
  const std::optional<Fault>& fault = faults().planted;
  return comes(VulkanCall::allocate) || (fault && fault->came && fault->kind == FaultKind::no_memory);
}

template <class Function>
Function next_of(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

PlantedFault::PlantedFault(FaultKind kind, VulkanCall call, size_t number) {
  faults().planted = Fault{kind, call, number};
}

PlantedFault::~PlantedFault() {
  faults().planted.reset();
}

bool PlantedFault::came() const {
  return faults().planted->came;
}

size_t lost_devices() {
  return faults().lost.size();
}

size_t vulkan_blocks() {
  return faults().blocks;
}

}  // namespace hw::test

using namespace hw::test;

void vkGetDeviceQueue(VkDevice device, uint32_t family, uint32_t index, VkQueue* queue) {
  static const auto next = next_of<PFN_vkGetDeviceQueue>("vkGetDeviceQueue");
  next(device, family, index, queue);
  faults().devices[*queue] = device;
}

void vkDestroyDevice(VkDevice device, const VkAllocationCallbacks* allocator) {
  static const auto next = next_of<PFN_vkDestroyDevice>("vkDestroyDevice");
  std::erase_if(faults().devices, [&](const auto& queue) { return queue.second == device; });
  faults().lost.erase(device);
  next(device, allocator);
}

VkResult vkQueueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo* submits, VkFence fence) {
  static const auto next = next_of<PFN_vkQueueSubmit>("vkQueueSubmit");
  if (loss(VulkanCall::submit, faults().devices.at(queue))) return VK_ERROR_DEVICE_LOST;
  return next(queue, count, submits, fence);
}

VkResult vkWaitSemaphores(VkDevice device, const VkSemaphoreWaitInfo* info, uint64_t timeout) {
  static const auto next = next_of<PFN_vkWaitSemaphores>("vkWaitSemaphores");
  const auto lost = loss(VulkanCall::wait_semaphores, device);
  if (lost) return *lost == FaultKind::lost_in_silence ? VK_SUCCESS : VK_ERROR_DEVICE_LOST;
  return next(device, info, timeout);
}

VkResult vkGetSemaphoreCounterValue(VkDevice device, VkSemaphore semaphore, uint64_t* value) {
  static const auto next = next_of<PFN_vkGetSemaphoreCounterValue>("vkGetSemaphoreCounterValue");
  const auto lost = loss(VulkanCall::counter_value, device);
  if (!lost) return next(device, semaphore, value);
  if (*lost != FaultKind::lost_in_silence) return VK_ERROR_DEVICE_LOST;
  *value = ~uint64_t{0};
  return VK_SUCCESS;
}

// What really runs is waited for, lost or not.
VkResult vkDeviceWaitIdle(VkDevice device) {
  static const auto next = next_of<PFN_vkDeviceWaitIdle>("vkDeviceWaitIdle");
  const VkResult result = next(device);
  return faults().lost.contains(device) ? VK_ERROR_DEVICE_LOST : result;
}

VkResult vkAllocateMemory(VkDevice device, const VkMemoryAllocateInfo* info, const VkAllocationCallbacks* allocator,
                          VkDeviceMemory* memory) {
  static const auto next = next_of<PFN_vkAllocateMemory>("vkAllocateMemory");
  if (lacks_memory()) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  const VkResult result = next(device, info, allocator, memory);
  if (result == VK_SUCCESS) ++faults().blocks;
  return result;
}

void vkFreeMemory(VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks* allocator) {
  static const auto next = next_of<PFN_vkFreeMemory>("vkFreeMemory");
  if (memory != VK_NULL_HANDLE) --faults().blocks;
  next(device, memory, allocator);
}
