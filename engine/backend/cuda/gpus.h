// The GPUs that CUDA sees. Present in every build; without the toolkit the list is an error that says so.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/result.h"

namespace hw::gpu {
class Driver;
}

namespace hw::cuda {

struct Gpu {
  std::string name;          // "NVIDIA H200"
  size_t memory_bytes = 0;   // of the device
  int major = 0, minor = 0;  // compute capability
  /// Data sets of more stay in host memory.
  size_t resident_bytes() const { return memory_bytes / 4; }
};

/// In CUDA's order. CUDA looks for them once in a process, and so does this; the result is kept, an error too.
/// Errors: HW-R006 no GPU, no driver, an old driver, or a build without CUDA. Thread safe.
const Result<std::vector<Gpu>>& gpus();

/// The driver of a GPU of that list. Data sets of more than `resident_bytes` stay in host memory; 0: as the GPU says.
/// Errors: as gpus(), and HW-R006 where cuBLASLt is missing.
Result<std::shared_ptr<gpu::Driver>> make_driver(size_t gpu, size_t resident_bytes = 0);

}  // namespace hw::cuda
