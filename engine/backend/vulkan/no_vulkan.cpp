// What a build without Vulkan has in place of the driver.
#include "engine/backend/vulkan/adapters.h"
#include "engine/backend/vulkan/make_driver.h"
#include "engine/core/codes.h"

namespace hw::vulkan {

const Result<std::vector<Adapter>>& adapters() {
  static const Result<std::vector<Adapter>> none = Error{codes::no_gpu, "vulkan", "This build has no Vulkan.",
                                                         "Install Vulkan's headers and glslangValidator, and build."};
  return none;
}

Result<std::shared_ptr<gpu::Driver>> make_driver(size_t, size_t) {
  return adapters().error();
}

}  // namespace hw::vulkan
