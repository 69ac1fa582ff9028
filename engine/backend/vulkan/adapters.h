// The devices that Vulkan sees and that can compute, as ids "vulkan:0" … name them. Present in every build; without
// Vulkan the list is an error that says so.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/result.h"

namespace hw::vulkan {

enum class AdapterKind : uint8_t { discrete, integrated, virtual_gpu, software };

struct Adapter {
  std::string name;  // "AMD Radeon RX 7900 XTX (RADV NAVI31)", "llvmpipe (LLVM 15.0.6, 256 bits)"
  AdapterKind kind = AdapterKind::discrete;
  size_t memory_bytes = 0;  // of its largest heap of device memory
  size_t block_bytes = 0;   // that its driver promises in one block
  std::string lacks;  // features that the kernels need and it has not: "shaderFloat64, …"; empty: it can be used
  /// Data sets of more stay in host memory.
  size_t resident_bytes() const { return std::min(memory_bytes / 4, block_bytes); }
};

/// "llvmpipe (LLVM 15.0.6, 256 bits), 23.4 GiB, software: slow, for checking".
std::string description(const Adapter& adapter);

/// Those that can be used first; of them discrete ones first, software last; else in the driver's order. They are
/// looked for once in a process, which starts Vulkan; the result is kept, an error too. Errors: HW-R006 no loader, no
/// driver, or a build without Vulkan. Thread safe.
const Result<std::vector<Adapter>>& adapters();

}  // namespace hw::vulkan
