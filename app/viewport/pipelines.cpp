#include "app/viewport/pipelines.h"

#include <cstddef>
#include <span>
#include <vector>

#include "app/viewport/descriptor_set.h"
#include "app/viewport/render_passes.h"
#include "app/viewport/shaders.h"

namespace hw::viewport {

Result<UniqueShader> create_shader(const Device& device, std::span<const uint32_t> words) {
  VkShaderModuleCreateInfo info{.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  info.codeSize = words.size_bytes();
  info.pCode = words.data();
  VkShaderModule module = VK_NULL_HANDLE;
  HW_VK(vkCreateShaderModule(device.device, &info, nullptr, &module));
  return UniqueShader(device.device, module);
}

namespace {

Result<UniqueSampler> create_sampler(const Device& device, VkFilter filter, VkSamplerAddressMode u,
                                     VkSamplerAddressMode v) {
  VkSamplerCreateInfo info{.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
  info.magFilter = filter;
  info.minFilter = filter;
  info.mipmapMode = VK_SAMPLER_MIPMAP_MODE_NEAREST;
  info.addressModeU = u;
  info.addressModeV = v;
  info.addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
  VkSampler sampler = VK_NULL_HANDLE;
  HW_VK(vkCreateSampler(device.device, &info, nullptr, &sampler));
  return UniqueSampler(device.device, sampler);
}

Result<UniquePipelineLayout> create_layout(const Device& device, VkDescriptorSetLayout set, uint32_t push_size,
                                           VkShaderStageFlags push_stages) {
  const VkPushConstantRange push{push_stages, 0, push_size};
  VkPipelineLayoutCreateInfo info{.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  info.setLayoutCount = 1;
  info.pSetLayouts = &set;
  info.pushConstantRangeCount = 1;
  info.pPushConstantRanges = &push;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  HW_VK(vkCreatePipelineLayout(device.device, &info, nullptr, &layout));
  return UniquePipelineLayout(device.device, layout);
}

struct PipelineInfo {
  std::span<const uint32_t> vertex_words;
  std::span<const uint32_t> fragment_words;
  VkPipelineLayout layout;
  VkRenderPass pass;
  uint32_t color_count;
  bool vertices;  // from a vertex buffer; otherwise made or fetched by the shader
  bool depth;
};

Result<UniquePipeline> create_pipeline(const Device& device, const PipelineInfo& p) {
  HW_TRY(const UniqueShader vertex, create_shader(device, p.vertex_words));
  HW_TRY(const UniqueShader fragment, create_shader(device, p.fragment_words));
  std::array<VkPipelineShaderStageCreateInfo, 2> stages{};
  for (auto& stage : stages) {
    stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    stage.pName = "main";
  }
  stages[0].stage = VK_SHADER_STAGE_VERTEX_BIT;
  stages[0].module = vertex.get();
  stages[1].stage = VK_SHADER_STAGE_FRAGMENT_BIT;
  stages[1].module = fragment.get();

  const VkVertexInputBindingDescription binding{0, sizeof(Vertex), VK_VERTEX_INPUT_RATE_VERTEX};
  const std::array<VkVertexInputAttributeDescription, 4> attributes{
      {{0, 0, VK_FORMAT_R32G32B32_SFLOAT, offsetof(Vertex, position)},
       {1, 0, VK_FORMAT_R32G32B32_SFLOAT, offsetof(Vertex, normal)},
       {2, 0, VK_FORMAT_R32G32_SFLOAT, offsetof(Vertex, uv)},
       {3, 0, VK_FORMAT_R8G8B8A8_UNORM, offsetof(Vertex, colour)}}};
  VkPipelineVertexInputStateCreateInfo input{.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
  if (p.vertices) {
    input.vertexBindingDescriptionCount = 1;
    input.pVertexBindingDescriptions = &binding;
    input.vertexAttributeDescriptionCount = attributes.size();
    input.pVertexAttributeDescriptions = attributes.data();
  }
  VkPipelineInputAssemblyStateCreateInfo assembly{.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
  assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  VkPipelineViewportStateCreateInfo viewport{.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
  viewport.viewportCount = 1;
  viewport.scissorCount = 1;
  VkPipelineRasterizationStateCreateInfo raster{.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
  raster.cullMode = VK_CULL_MODE_NONE;  // files disagree about winding, and open meshes show their backs
  raster.lineWidth = 1;
  VkPipelineMultisampleStateCreateInfo samples{.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
  samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
  VkPipelineDepthStencilStateCreateInfo depth{.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
  depth.depthTestEnable = p.depth;
  depth.depthWriteEnable = p.depth;
  depth.depthCompareOp = VK_COMPARE_OP_GREATER;  // reversed z, see Camera::projection
  std::array<VkPipelineColorBlendAttachmentState, 3> blend_attachments{};
  for (auto& a : blend_attachments) a.colorWriteMask = 0xf;
  VkPipelineColorBlendStateCreateInfo blend{.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
  blend.attachmentCount = p.color_count;
  blend.pAttachments = blend_attachments.data();
  const std::array dynamic_states{VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
  VkPipelineDynamicStateCreateInfo dynamic{.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO};
  dynamic.dynamicStateCount = dynamic_states.size();
  dynamic.pDynamicStates = dynamic_states.data();

  VkGraphicsPipelineCreateInfo info{.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO};
  info.stageCount = stages.size();
  info.pStages = stages.data();
  info.pVertexInputState = &input;
  info.pInputAssemblyState = &assembly;
  info.pViewportState = &viewport;
  info.pRasterizationState = &raster;
  info.pMultisampleState = &samples;
  info.pDepthStencilState = &depth;
  info.pColorBlendState = &blend;
  info.pDynamicState = &dynamic;
  info.layout = p.layout;
  info.renderPass = p.pass;
  VkPipeline pipeline = VK_NULL_HANDLE;
  HW_VK(vkCreateGraphicsPipelines(device.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline));
  return UniquePipeline(device.device, pipeline);
}

}  // namespace

Result<Pipelines> Pipelines::create(const Device& device) {
  Pipelines p;
  constexpr VkSamplerAddressMode kClamp = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
  constexpr std::array kWraps{VK_SAMPLER_ADDRESS_MODE_REPEAT, VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT, kClamp};
  for (size_t u = 0; u < kWraps.size(); ++u) {
    for (size_t v = 0; v < kWraps.size(); ++v) {
      HW_TRY(p.texture_samplers[u][v], create_sampler(device, VK_FILTER_LINEAR, kWraps[u], kWraps[v]));
    }
  }
  HW_TRY(p.nearest, create_sampler(device, VK_FILTER_NEAREST, kClamp, kClamp));
  const VkDescriptorType sampled = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
  HW_TRY(p.texture_set_layout, create_set_layout(device, std::array{sampled}, VK_SHADER_STAGE_FRAGMENT_BIT));
  const VkDescriptorType storage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  HW_TRY(p.wire_set_layout, create_set_layout(device, std::array{storage, storage}, VK_SHADER_STAGE_VERTEX_BIT));
  HW_TRY(p.compose_set_layout,
         create_set_layout(device, std::array{sampled, sampled, sampled, storage}, VK_SHADER_STAGE_FRAGMENT_BIT));
  HW_TRY(p.gbuffer_layout, create_layout(device, p.texture_set_layout.get(), sizeof(GBufferPush),
                                         VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT));
  HW_TRY(p.wire_layout, create_layout(device, p.wire_set_layout.get(), sizeof(WirePush), VK_SHADER_STAGE_VERTEX_BIT));
  HW_TRY(p.compose_layout,
         create_layout(device, p.compose_set_layout.get(), sizeof(ComposePush), VK_SHADER_STAGE_FRAGMENT_BIT));
  HW_TRY(p.gbuffer_pass, create_gbuffer_pass(device));
  HW_TRY(p.compose_pass, create_compose_pass(device));
  HW_TRY(p.gbuffer, create_pipeline(device, {shaders::gbuffer_vert(), shaders::gbuffer_frag(), p.gbuffer_layout.get(),
                                             p.gbuffer_pass.get(), 3, true, true}));
  HW_TRY(p.wire, create_pipeline(device, {shaders::wire_vert(), shaders::wire_frag(), p.wire_layout.get(),
                                          p.gbuffer_pass.get(), 3, false, true}));
  HW_TRY(p.compose, create_pipeline(device, {shaders::compose_vert(), shaders::compose_frag(), p.compose_layout.get(),
                                             p.compose_pass.get(), 1, false, false}));
  return p;
}

}  // namespace hw::viewport
