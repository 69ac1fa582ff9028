// Kernels of regions: their text, compiled while a program is prepared.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/backend/gpu/regions.h"
#include "engine/backend/vulkan/kernel_code.h"

namespace hw::vulkan {

/// The kernel's text, common.glsl before it: equal texts do equal work on operands of any size.
Result<std::string> region_text(const Program& program, const gpu::Region& region, const gpu::RegionOperands& operands);
/// What it reads as its functor: addresses of inputs, of outputs, then a StridedIndex of each input that is stretched.
std::vector<uint64_t> region_functor(const gpu::RegionOperands& operands);

class RegionKernels {
 public:
  /// Compiled the first time; lives as long as this. Error HW-R008: it does not compile, or there is no compiler, which
  /// is asked once.
  Result<const KernelCode*> kernel_of(const Program& program, const gpu::Region& region,
                                      const gpu::RegionOperands& operands);

 private:
  struct Made {
    std::vector<uint32_t> words;
    KernelCode code;
  };
  std::map<std::string, std::unique_ptr<const Made>> made_;  // by text
  std::optional<Error> no_compiler_;
};

}  // namespace hw::vulkan
