#include "engine/backend/vulkan/pipelines.h"

#include "engine/backend/vulkan/spirv_cases.h"
#include "engine/backend/vulkan/spirv_module.h"
#include "engine/backend/vulkan/vulkan_error.h"

namespace hw::vulkan {

Result<std::unique_ptr<Pipelines>> Pipelines::make(const Context& context) {
  std::unique_ptr<Pipelines> pipelines(new Pipelines(context));
  HW_CHECK(pipelines->start());
  return pipelines;
}

Status Pipelines::start() {
  VkPushConstantRange push{.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT, .offset = 0, .size = sizeof(Push)};
  VkPipelineLayoutCreateInfo layout{.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  layout.pushConstantRangeCount = 1;
  layout.pPushConstantRanges = &push;
  HW_VULKAN(vkCreatePipelineLayout(context_.device, &layout, nullptr, &layout_));
  VkPipelineCacheCreateInfo cache{.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  HW_VULKAN(vkCreatePipelineCache(context_.device, &cache, nullptr, &cache_));
  return ok();
}

Pipelines::~Pipelines() {
  for (const auto& [key, pipeline] : pipelines_) vkDestroyPipeline(context_.device, pipeline, nullptr);
  if (cache_) vkDestroyPipelineCache(context_.device, cache_, nullptr);
  if (layout_) vkDestroyPipelineLayout(context_.device, layout_, nullptr);
}

Result<VkShaderModule> Pipelines::make_module(const KernelCode& kernel, const gpu::Constants& constants) {
  std::vector<uint32_t> words(kernel.spirv.begin(), kernel.spirv.end());
  choose_cases(words, constants);
  add_float_modes(words, context_.floats);
  VkShaderModuleCreateInfo info{.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  info.codeSize = words.size() * sizeof(uint32_t);
  info.pCode = words.data();
  VkShaderModule module = VK_NULL_HANDLE;
  HW_VULKAN(vkCreateShaderModule(context_.device, &info, nullptr, &module));
  return module;
}

Result<VkPipeline> Pipelines::find(const KernelCode& kernel, const gpu::Constants& constants) {
  VkPipeline& pipeline = pipelines_[{&kernel, constants}];
  if (pipeline) return pipeline;
  std::vector<VkSpecializationMapEntry> entries;
  for (uint32_t i = 0; i < constants.size(); ++i)
    entries.push_back({.constantID = i, .offset = i * static_cast<uint32_t>(sizeof(int32_t)), .size = sizeof(int32_t)});
  VkSpecializationInfo special{};
  special.mapEntryCount = static_cast<uint32_t>(entries.size());
  special.pMapEntries = entries.data();
  special.dataSize = constants.size() * sizeof(int32_t);
  special.pData = constants.data();
  VkComputePipelineCreateInfo info{.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  HW_TRY(info.stage.module, make_module(kernel, constants));
  info.stage.pName = "main";
  info.stage.pSpecializationInfo = &special;
  info.layout = layout_;
  const VkResult made = vkCreateComputePipelines(context_.device, cache_, 1, &info, nullptr, &pipeline);
  vkDestroyShaderModule(context_.device, info.stage.module, nullptr);
  HW_CHECK(check(made, "vkCreateComputePipelines"));
  return pipeline;
}

}  // namespace hw::vulkan
