#include "app/viewport/gpu_memory.h"

namespace hw::viewport {
namespace {

Result<UniqueMemory> allocate(const Device& device, const VkMemoryRequirements& needs, VkMemoryPropertyFlags required,
                              VkMemoryPropertyFlags preferred) {
  int type = -1;
  for (const VkMemoryPropertyFlags wanted : {required | preferred, required})
    for (uint32_t i = 0; i < device.memory.memoryTypeCount && type < 0; ++i)
      if ((needs.memoryTypeBits >> i & 1u) && (device.memory.memoryTypes[i].propertyFlags & wanted) == wanted)
        type = static_cast<int>(i);
  if (type < 0) return vulkan_error("vkAllocateMemory(no fitting type)", VK_ERROR_OUT_OF_DEVICE_MEMORY);
  VkMemoryAllocateInfo info{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  info.allocationSize = needs.size;
  info.memoryTypeIndex = static_cast<uint32_t>(type);
  VkDeviceMemory memory = VK_NULL_HANDLE;
  HW_VK(vkAllocateMemory(device.device, &info, nullptr, &memory));
  return UniqueMemory(device.device, memory);
}

}  // namespace

Result<Buffer> Buffer::create(const Device& device, VkDeviceSize size, VkBufferUsageFlags usage, Placement placement) {
  Buffer b;
  b.size_ = size;
  VkBufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = size;
  info.usage = usage;
  VkBuffer buffer = VK_NULL_HANDLE;
  HW_VK(vkCreateBuffer(device.device, &info, nullptr, &buffer));
  b.buffer_ = {device.device, buffer};
  VkMemoryRequirements needs{};
  vkGetBufferMemoryRequirements(device.device, buffer, &needs);
  const VkMemoryPropertyFlags host = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  if (placement == Placement::Device) {
    HW_TRY(b.memory_, allocate(device, needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0));
  } else {
    // The CPU reads uncached memory an order of magnitude slower, so what it reads should be cached.
    HW_TRY(b.memory_,
           allocate(device, needs, host, placement == Placement::HostRead ? VK_MEMORY_PROPERTY_HOST_CACHED_BIT : 0));
  }
  HW_VK(vkBindBufferMemory(device.device, buffer, b.memory_.get(), 0));
  if (placement != Placement::Device) HW_VK(vkMapMemory(device.device, b.memory_.get(), 0, VK_WHOLE_SIZE, 0, &b.data_));
  return b;
}

Result<Image2D> Image2D::create(const Device& device, VkExtent2D extent, VkFormat format, VkImageUsageFlags usage) {
  Image2D i;
  i.extent_ = extent;
  VkImageCreateInfo info{.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = format;
  info.extent = {extent.width, extent.height, 1};
  info.mipLevels = 1;
  info.arrayLayers = 1;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.tiling = VK_IMAGE_TILING_OPTIMAL;
  info.usage = usage;
  VkImage image = VK_NULL_HANDLE;
  HW_VK(vkCreateImage(device.device, &info, nullptr, &image));
  i.image_ = {device.device, image};
  VkMemoryRequirements needs{};
  vkGetImageMemoryRequirements(device.device, image, &needs);
  HW_TRY(i.memory_, allocate(device, needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0));
  HW_VK(vkBindImageMemory(device.device, image, i.memory_.get(), 0));

  VkImageViewCreateInfo view_info{.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
  view_info.image = image;
  view_info.viewType = VK_IMAGE_VIEW_TYPE_2D;
  view_info.format = format;
  const bool depth = (usage & VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT) != 0;
  view_info.subresourceRange = {
      static_cast<VkImageAspectFlags>(depth ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT), 0, 1, 0, 1};
  VkImageView view = VK_NULL_HANDLE;
  HW_VK(vkCreateImageView(device.device, &view_info, nullptr, &view));
  i.view_ = {device.device, view};
  return i;
}

void image_barrier(VkCommandBuffer commands, VkImage image, const ImageBarrier& barrier) {
  VkImageMemoryBarrier b{.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
  b.srcAccessMask = barrier.src_access;
  b.dstAccessMask = barrier.dst_access;
  b.oldLayout = barrier.from;
  b.newLayout = barrier.to;
  b.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  b.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  b.image = image;
  b.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  vkCmdPipelineBarrier(commands, barrier.src_stage, barrier.dst_stage, 0, 0, nullptr, 0, nullptr, 1, &b);
}

void host_read_barrier(VkCommandBuffer commands, VkBuffer buffer) {
  VkBufferMemoryBarrier b{.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER};
  b.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  b.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  b.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  b.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  b.buffer = buffer;
  b.size = VK_WHOLE_SIZE;
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 0, nullptr, 1, &b, 0,
                       nullptr);
}

}  // namespace hw::viewport
