// An own Vulkan instance and device, for drawing without a window.
#pragma once

#include <memory>

#include "app/viewport/device.h"

namespace hw::viewport {

/// Owns instance and device. Prefers a discrete GPU, then an integrated one, then a software device (lavapipe).
/// Errors: HW-V001 no Vulkan at all, HW-V002 no device that can draw.
class VulkanContext {
 public:
  static Result<std::unique_ptr<VulkanContext>> create();
  ~VulkanContext();
  VulkanContext(const VulkanContext&) = delete;
  VulkanContext& operator=(const VulkanContext&) = delete;

  const Device& device() const { return device_; }

 private:
  VulkanContext() = default;
  VkInstance instance_ = VK_NULL_HANDLE;
  Device device_;
};

}  // namespace hw::viewport
