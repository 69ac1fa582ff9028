// Vulkan's results as Errors.
#pragma once

#include <vulkan/vulkan.h>

#include <string>

#include "engine/core/codes.h"
#include "engine/core/result.h"

namespace hw::vulkan {

/// "VK_ERROR_DEVICE_LOST"; others as their number.
std::string result_name(VkResult result);

/// HW-R001 when memory is lacking, else HW-R005, with the call and Vulkan's result; `where`: the device.
inline Status check(VkResult result, const char* call, const std::string& where = "vulkan") {
  if (result == VK_SUCCESS) return ok();
  const std::string name(call, std::string(call).find('('));
  const std::string reason = name + ": " + result_name(result) + ".";
  if (result == VK_ERROR_OUT_OF_DEVICE_MEMORY || result == VK_ERROR_OUT_OF_HOST_MEMORY ||
      result == VK_ERROR_TOO_MANY_OBJECTS || result == VK_ERROR_MEMORY_MAP_FAILED)
    return Error{codes::out_of_memory, where, reason, "Make the batch smaller, or choose the cpu device."};
  return Error{codes::gpu_failed, where, reason, "Choose the cpu device."};
}

}  // namespace hw::vulkan

#define HW_VULKAN(call) HW_CHECK(::hw::vulkan::check((call), #call))
