// Kernels made ready for a device, each with the values of its specialisation constants.
#pragma once

#include <map>
#include <string>

#include "engine/backend/vulkan/context.h"
#include "engine/backend/vulkan/kernel_code.h"
#include "engine/backend/vulkan/launcher.h"

namespace hw::vulkan {

/// What every kernel is given beside its constants.
struct Push {
  uint64_t functor;
  int64_t items;
};

/// Kept until the end. One thread at a time.
class Pipelines {
 public:
  static Result<std::unique_ptr<Pipelines>> make(const Context& context);
  ~Pipelines();
  Result<VkPipeline> find(const KernelCode& kernel, const gpu::Constants& constants);
  VkPipelineLayout layout() const { return layout_; }

 private:
  explicit Pipelines(const Context& context) : context_(context) {}
  Status start();
  Result<VkShaderModule> make_module(const KernelCode& kernel, const gpu::Constants& constants);

  const Context& context_;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkPipelineCache cache_ = VK_NULL_HANDLE;
  std::map<std::pair<const KernelCode*, gpu::Constants>, VkPipeline> pipelines_;
};

}  // namespace hw::vulkan
