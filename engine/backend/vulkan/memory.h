// Blocks of memory, each with a buffer over it: by the address that kernels read, or mapped for the host.
#pragma once

#include <map>

#include "engine/backend/vulkan/context.h"

namespace hw::vulkan {

struct Block {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkDeviceSize bytes = 0;
  uint64_t address = 0;         // on the device
  std::byte* mapped = nullptr;  // host memory alone
};

enum class MemoryUse : uint8_t {
  device,     // fast for kernels
  to_device,  // written by the host
  to_host,    // read by the host
};

/// Error HW-R001: there is no such memory, or not in one block.
Result<Block> make_block(const Context& context, VkDeviceSize bytes, MemoryUse use);
void destroy_block(const Context& context, const Block& block);

/// A place within a block.
struct BlockPlace {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceSize offset = 0;
};

/// Blocks by where they begin: an address on the device, or a pointer of the host.
class BlockMap {
 public:
  void add(uint64_t begin, const Block& block) { blocks_.emplace(begin, block); }
  /// What began there; taken out. Nothing did: an empty block.
  Block take(uint64_t begin);
  /// The block that holds this place. Error HW-R005: none does.
  Result<BlockPlace> find(uint64_t at) const;
  VkDeviceSize bytes() const;
  const std::map<uint64_t, Block>& all() const { return blocks_; }

 private:
  std::map<uint64_t, Block> blocks_;
};

}  // namespace hw::vulkan
