#include "engine/backend/vulkan/memory.h"

#include <iterator>

#include "engine/backend/vulkan/vulkan_error.h"

namespace hw::vulkan {
namespace {

Status bind(const Context& c, Block& block, MemoryUse use) {
  VkMemoryRequirements needs{};
  vkGetBufferMemoryRequirements(c.device, block.buffer, &needs);
  const VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  const VkMemoryPropertyFlags host = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  const uint32_t type = use == MemoryUse::device ? c.memory_type(needs.memoryTypeBits, local, 0)
                        : use == MemoryUse::to_host
                            ? c.memory_type(needs.memoryTypeBits, host, VK_MEMORY_PROPERTY_HOST_CACHED_BIT)
                            : c.memory_type(needs.memoryTypeBits, host, local);
  if (type == ~0u) return check(VK_ERROR_OUT_OF_DEVICE_MEMORY, "vkGetPhysicalDeviceMemoryProperties()");
  VkMemoryAllocateFlagsInfo flags{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO};
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkMemoryAllocateInfo info{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  info.pNext = &flags;
  info.allocationSize = needs.size;
  info.memoryTypeIndex = type;
  HW_VULKAN(vkAllocateMemory(c.device, &info, nullptr, &block.memory));
  HW_VULKAN(vkBindBufferMemory(c.device, block.buffer, block.memory, 0));
  VkBufferDeviceAddressInfo address{.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
  address.buffer = block.buffer;
  block.address = vkGetBufferDeviceAddress(c.device, &address);
  if (use == MemoryUse::device) return ok();
  void* mapped = nullptr;
  HW_VULKAN(vkMapMemory(c.device, block.memory, 0, VK_WHOLE_SIZE, 0, &mapped));
  block.mapped = static_cast<std::byte*>(mapped);
  return ok();
}

}  // namespace

Result<Block> make_block(const Context& c, VkDeviceSize bytes, MemoryUse use) {
  if (c.blocks >= c.most_blocks) return check(VK_ERROR_TOO_MANY_OBJECTS, "vkAllocateMemory()").error();
  Block block{.bytes = bytes};
  VkBufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = bytes;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
               VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  Status made = check(vkCreateBuffer(c.device, &info, nullptr, &block.buffer), "vkCreateBuffer()");
  if (made) made = bind(c, block, use);
  if (made) {
    ++c.blocks;
    return block;
  }
  vkDestroyBuffer(c.device, block.buffer, nullptr);
  vkFreeMemory(c.device, block.memory, nullptr);
  // Beyond what the driver promises, any failure is a lack of memory.
  return bytes > c.most_bytes ? check(VK_ERROR_OUT_OF_DEVICE_MEMORY, "vkAllocateMemory()").error() : made.error();
}

void destroy_block(const Context& c, const Block& block) {
  if (!block.buffer) return;
  vkDestroyBuffer(c.device, block.buffer, nullptr);
  vkFreeMemory(c.device, block.memory, nullptr);
  --c.blocks;
}

Block BlockMap::take(uint64_t begin) {
  const auto node = blocks_.extract(begin);
  return node.empty() ? Block{} : node.mapped();
}

Result<BlockPlace> BlockMap::find(uint64_t at) const {
  const auto behind = blocks_.upper_bound(at);
  if (behind != blocks_.begin()) {
    const auto& [begin, block] = *std::prev(behind);
    if (at - begin < block.bytes) return BlockPlace{block.buffer, at - begin};
  }
  return Error{codes::gpu_failed, "", "No memory of this device is there.", "Choose the cpu device."};
}

VkDeviceSize BlockMap::bytes() const {
  VkDeviceSize sum = 0;
  for (const auto& [begin, block] : blocks_) sum += block.bytes;
  return sum;
}

}  // namespace hw::vulkan
