// The kernels as SPIR-V, compiled when the product is built (make_kernels) and kept in it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hw::vulkan {

struct KernelCode {
  std::string name;
  uint32_t functor_bytes = 0;  // its last padding left out
  bool groups = false;         // launched over workgroups, not over items
  std::span<const uint32_t> spirv;
};

/// By name.
const std::vector<KernelCode>& kernel_codes();
/// Null: there is none.
const KernelCode* find_kernel(const std::string& name);

/// What make_kernels wrote, a family each. Defined in the file that the build makes.
std::vector<std::span<const unsigned char>> kernel_packs();
/// kernels/common.glsl, for kernels that are compiled at run time. Defined there, too.
std::string_view common_glsl();

}  // namespace hw::vulkan
