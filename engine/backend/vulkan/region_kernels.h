// Kernels of regions: their text, compiled while a program is prepared.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/backend/gpu/regions.h"
#include "engine/backend/vulkan/kernel_code.h"

namespace hw::vulkan {

struct RegionText {
  std::string text;  // common.glsl before it: equal texts do equal work on operands of any size
  /// What it reads as its functor: addresses of inputs, of outputs, a StridedIndex of each input that is stretched,
  /// then the ops' numbers as doubles.
  std::vector<uint64_t> functor;
};
Result<RegionText> region_text(const Program& program, const gpu::Region& region, const gpu::RegionOperands& operands);

class RegionKernels {
 public:
  /// Compiled the first time; lives as long as this. Error HW-R008: the text does not compile, which is remembered, or
  /// there is no compiler.
  Result<const KernelCode*> kernel_of(const std::string& text);

 private:
  struct Made {
    std::vector<uint32_t> words;
    KernelCode code;
    std::optional<Error> error;
  };
  std::map<std::string, std::unique_ptr<const Made>> made_;  // by text
};

}  // namespace hw::vulkan
