// Failures planted in a real Vulkan driver: this program has its own vkQueueSubmit and the like, which call the
// loader's until a fault comes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hw::test {

enum class VulkanCall : uint8_t { submit, wait_semaphores, counter_value, allocate };

enum class FaultKind : uint8_t {
  lost,             // the call's device is lost for good: submits and waits of it say VK_ERROR_DEVICE_LOST
  lost_in_silence,  // the same, but waits for semaphores succeed, and the semaphores count beyond all that was
                    // submitted
  no_memory,        // allocations fail as long as the fault is planted
};

/// The fault comes at the call with this number, counted from 0 from here on, of all devices. One at a time; what was
/// lost stays lost.
class PlantedFault {
 public:
  PlantedFault(FaultKind kind, VulkanCall call, size_t number);
  ~PlantedFault();
  PlantedFault(const PlantedFault&) = delete;
  PlantedFault& operator=(const PlantedFault&) = delete;
  bool came() const;
};

/// That are not destroyed yet.
size_t lost_devices();
/// That are allocated, of all devices.
size_t vulkan_blocks();

}  // namespace hw::test
