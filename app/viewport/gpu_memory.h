// Owners of Vulkan objects: a generic handle, a buffer and a 2D image, each with its memory.
#pragma once

#include <utility>

#include "app/viewport/device.h"

namespace hw::viewport {

/// Owns one Vulkan object; destroys it with the device it came from.
template <class Handle, auto Destroy>
class Unique {
 public:
  Unique() = default;
  Unique(VkDevice device, Handle handle) : device_(device), handle_(handle) {}
  Unique(Unique&& other) noexcept : device_(other.device_), handle_(std::exchange(other.handle_, Handle{})) {}
  Unique& operator=(Unique&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Unique() {
    if (handle_) Destroy(device_, handle_, nullptr);
  }
  Handle get() const { return handle_; }
  explicit operator bool() const { return handle_ != Handle{}; }

 private:
  VkDevice device_ = VK_NULL_HANDLE;
  Handle handle_{};
};

using UniqueMemory = Unique<VkDeviceMemory, vkFreeMemory>;
using UniqueImageView = Unique<VkImageView, vkDestroyImageView>;
using UniqueSampler = Unique<VkSampler, vkDestroySampler>;
using UniqueRenderPass = Unique<VkRenderPass, vkDestroyRenderPass>;
using UniqueFramebuffer = Unique<VkFramebuffer, vkDestroyFramebuffer>;
using UniquePipeline = Unique<VkPipeline, vkDestroyPipeline>;
using UniquePipelineLayout = Unique<VkPipelineLayout, vkDestroyPipelineLayout>;
using UniqueSetLayout = Unique<VkDescriptorSetLayout, vkDestroyDescriptorSetLayout>;
using UniqueDescriptorPool = Unique<VkDescriptorPool, vkDestroyDescriptorPool>;
using UniqueShader = Unique<VkShaderModule, vkDestroyShaderModule>;
using UniqueCommandPool = Unique<VkCommandPool, vkDestroyCommandPool>;
using UniqueFence = Unique<VkFence, vkDestroyFence>;

/// Where a buffer lives. Host kinds stay mapped and coherent.
enum class Placement { Device, HostWrite, HostRead };

/// A buffer with its own memory.
class Buffer {
 public:
  Buffer() = default;
  static Result<Buffer> create(const Device& device, VkDeviceSize size, VkBufferUsageFlags usage, Placement placement);
  VkBuffer get() const { return buffer_.get(); }
  VkDeviceSize size() const { return size_; }
  /// Host address; null for Placement::Device.
  void* data() const { return data_; }

 private:
  UniqueMemory memory_;  // before the buffer, so that it goes after it
  Unique<VkBuffer, vkDestroyBuffer> buffer_;
  VkDeviceSize size_ = 0;
  void* data_ = nullptr;
};

/// A 2D image of one mip level in device memory, with its view.
class Image2D {
 public:
  Image2D() = default;
  static Result<Image2D> create(const Device& device, VkExtent2D extent, VkFormat format, VkImageUsageFlags usage);
  VkImage get() const { return image_.get(); }
  VkImageView view() const { return view_.get(); }
  VkExtent2D extent() const { return extent_; }

 private:
  UniqueMemory memory_;
  Unique<VkImage, vkDestroyImage> image_;
  UniqueImageView view_;
  VkExtent2D extent_{};
};

/// Records a layout change of a whole colour image with the execution and memory dependency around it.
struct ImageBarrier {
  VkImageLayout from, to;
  VkPipelineStageFlags src_stage;
  VkAccessFlags src_access;
  VkPipelineStageFlags dst_stage;
  VkAccessFlags dst_access;
};
void image_barrier(VkCommandBuffer commands, VkImage image, const ImageBarrier& barrier);

/// Makes earlier transfer writes to a buffer visible to the host once the submission's fence has signalled.
void host_read_barrier(VkCommandBuffer commands, VkBuffer buffer);

}  // namespace hw::viewport
