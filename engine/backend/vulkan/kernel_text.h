// The text of a compute shader that common.glsl stands in front of. Knows nothing of Vulkan; a tool of the build uses
// it, too.
#pragma once

#include <string>
#include <string_view>

namespace hw::vulkan {

struct KernelParts {
  std::string_view common;  // common.glsl
  std::string_view real;    // "float", "double": what REAL is; "": it is not
  std::string bodies;       // functions of engine/kernels
  std::string kernel;       // `struct Functor`, a line //! functor, `void item(int64_t i)`; see make_kernels.cpp
  bool groups = false;      // `void group()` in the place of item
};

/// "": there is no line //! functor.
std::string kernel_text(const KernelParts& parts);

}  // namespace hw::vulkan
