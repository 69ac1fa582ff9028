// The headers of engine/kernels as text, compiled in: embed_kernels.cmake makes the .cpp.
#pragma once

#include <span>
#include <string_view>

namespace hw::shader {

struct KernelSource {
  std::string_view header;  // "math.h"
  std::string_view text;
};

/// Those whose bodies can be printed as shaders, what others call before them.
std::span<const KernelSource> kernel_sources();
/// Empty: no such header.
std::string_view kernel_source(std::string_view header);

}  // namespace hw::shader
