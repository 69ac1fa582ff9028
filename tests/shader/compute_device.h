// A Vulkan device that runs a compute shader over arrays: for tests, nothing of the product.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/result.h"

namespace hw::test {

struct FloatBehaviour {
  bool denorm_preserve_f32, denorm_flush_f32, denorm_preserve_f64, denorm_flush_f64;
  bool nan_preserve_f32, nan_preserve_f64, rounds_even_f32, rounds_even_f64;
};

class ComputeDevice {
 public:
  /// The first device with shaderFloat64 and shaderInt64; `HW_VULKAN_DEVICE` in the environment: a part of its name.
  static Result<std::unique_ptr<ComputeDevice>> create();
  ~ComputeDevice();

  const std::string& name() const { return name_; }
  const FloatBehaviour& behaviour() const { return behaviour_; }

  /// Runs `spirv` (entry "main") in `groups` workgroups over storage buffers at bindings 0, 1, … of set 0. They start
  /// as `buffers` and hold what the shader made of them afterwards.
  Status run(const std::vector<uint32_t>& spirv, std::vector<std::vector<uint8_t>>& buffers, uint32_t groups);

 private:
  ComputeDevice() = default;
  struct Buffer {
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    void* data = nullptr;
  };
  Status open();
  Result<Buffer> make_buffer(size_t bytes);

  VkInstance instance_ = VK_NULL_HANDLE;
  VkPhysicalDevice physical_ = VK_NULL_HANDLE;
  VkDevice device_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  VkCommandPool commands_ = VK_NULL_HANDLE;
  std::string name_;
  FloatBehaviour behaviour_{};
};

}  // namespace hw::test
