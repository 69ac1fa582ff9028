#include "app/viewport/field_kernel.h"

#include <algorithm>
#include <cstring>

#include "app/viewport/pipelines.h"
#include "engine/core/codes.h"
#include "engine/shader/compile_glsl.h"

namespace hw::viewport {
namespace {

constexpr uint32_t kSide = 8;  // of a workgroup, pixels each way

// The kernel around the field's functions. `view_byte` as to_byte of the colours that the CPU packs.
std::string kernel_text(const shader::FieldShader& field) {
  std::string arguments;
  for (const shader::FieldVariable& variable : field.variables)
    arguments += (arguments.empty() ? "" : ", ") + variable.name;
  return "#version 460\n" + field.needs.extensions(false) + "layout(local_size_x = " + std::to_string(kSide) +
         ", local_size_y = " + std::to_string(kSide) + R"() in;
layout(set = 0, binding = 0) uniform sampler2D view_positions;
layout(set = 0, binding = 1) uniform sampler2D view_normals;
layout(std430, set = 0, binding = 2) writeonly buffer ViewColors { uint view_colors[]; };
layout(std430, set = 0, binding = 3) readonly buffer Weights { uint weights[]; };
layout(push_constant) uniform ViewBand { int view_first_row; };
)" + field.text +
         R"(
uint view_byte(float value) { return value > 0.0 ? uint(min(value, 1.0) * 255.0 + 0.5) : 0u; }
void main() {
  ivec2 size = textureSize(view_positions, 0);
  ivec2 pixel = ivec2(gl_GlobalInvocationID.xy) + ivec2(0, view_first_row);
  if (any(greaterThanEqual(pixel, size))) return;
  vec4 at = texelFetch(view_positions, pixel, 0);
  uint color = 0u;
  if (at.w > 0.5) {
    vec3 position = at.xyz;
    vec3 normal = texelFetch(view_normals, pixel, 0).xyz;
    vec3 c = field()" +
         arguments + R"();
    color = view_byte(c.r) | view_byte(c.g) << 8 | view_byte(c.b) << 16 | 0xff000000u;
  }
  view_colors[pixel.y * size.x + pixel.x] = color;
}
)";
}

Result<UniquePipeline> make_pipeline(const Device& device, VkPipelineLayout layout, std::span<const uint32_t> words) {
  HW_TRY(const UniqueShader shader, create_shader(device, words));
  VkComputePipelineCreateInfo info{.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = shader.get();
  info.stage.pName = "main";
  info.layout = layout;
  VkPipeline pipeline = VK_NULL_HANDLE;
  HW_VK(vkCreateComputePipelines(device.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline));
  return UniquePipeline(device.device, pipeline);
}

void barrier(VkCommandBuffer commands, VkPipelineStageFlags from_stage, VkAccessFlags from,
             VkPipelineStageFlags to_stage, VkAccessFlags to) {
  VkMemoryBarrier all{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  all.srcAccessMask = from;
  all.dstAccessMask = to;
  vkCmdPipelineBarrier(commands, from_stage, to_stage, 0, 1, &all, 0, nullptr, 0, nullptr);
}

}  // namespace

std::string lacks_for_field(const Device& device, const shader::FieldShader& field) {
  if (!device.computes) return device.name + " cannot compute on the queue that draws";
  if (field.needs.f64 && !device.has_f64) return device.name + " has no 64-bit floats";
  if (field.needs.i64 && !device.has_i64) return device.name + " has no 64-bit integers";
  if (field.words * sizeof(uint32_t) > device.limits.maxStorageBufferRange)
    return "its weights are more than the " + std::to_string(device.limits.maxStorageBufferRange >> 20) +
           " MiB that a shader can read on " + device.name;
  if (field.channels != 3) return "it has " + std::to_string(field.channels) + " channels, not 3";
  for (const shader::FieldVariable& variable : field.variables)
    if ((variable.name != "position" && variable.name != "normal") || variable.components != 3)
      return "it depends on " + variable.name;
  return "";
}

Result<std::vector<uint32_t>> compile_field(const Device& device, const shader::FieldShader& field) {
  if (const std::string lacks = lacks_for_field(device, field); !lacks.empty())
    return Error{codes::no_shader, "", lacks + ".", ""};
  return shader::compile_compute(kernel_text(field), shader::GlslTarget::vulkan_1_0);
}

Result<std::shared_ptr<const FieldKernel>> FieldKernel::create(const Device& device, std::span<const uint32_t> words) {
  auto kernel = std::make_shared<FieldKernel>();
  constexpr VkDescriptorType image = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                             buffer = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  HW_TRY(kernel->set_layout_,
         create_set_layout(device, std::array{image, image, buffer, buffer}, VK_SHADER_STAGE_COMPUTE_BIT));
  const VkDescriptorSetLayout set = kernel->set_layout();
  VkPipelineLayoutCreateInfo info{.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  info.setLayoutCount = 1;
  info.pSetLayouts = &set;
  const VkPushConstantRange first_row{VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(int32_t)};
  info.pushConstantRangeCount = 1;
  info.pPushConstantRanges = &first_row;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  HW_VK(vkCreatePipelineLayout(device.device, &info, nullptr, &layout));
  kernel->layout_ = {device.device, layout};
  HW_TRY(kernel->pipeline_, make_pipeline(device, layout, words));
  return std::shared_ptr<const FieldKernel>(std::move(kernel));
}

Result<std::shared_ptr<FieldWeights>> FieldWeights::stage(const Device& device, std::span<const uint32_t> words) {
  auto made = std::make_shared<FieldWeights>();
  const VkDeviceSize bytes = std::max<size_t>(words.size_bytes(), sizeof(uint32_t));
  HW_TRY(made->buffer_,
         Buffer::create(device, bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                        Placement::Device));
  HW_TRY(Buffer staging, Buffer::create(device, bytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, Placement::HostWrite));
  if (!words.empty()) std::memcpy(staging.data(), words.data(), words.size_bytes());
  made->staging_ = std::make_shared<const Buffer>(std::move(staging));
  return made;
}

void FieldWeights::upload(Submission& submission) {
  if (!staging_) return;
  const VkBufferCopy region{.srcOffset = 0, .dstOffset = 0, .size = buffer_.size()};
  vkCmdCopyBuffer(submission.commands(), staging_->get(), buffer_.get(), 1, &region);
  barrier(submission.commands(), VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
          VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT);
  submission.keep(std::move(staging_));
  staging_ = nullptr;
}

Result<FieldPass> FieldPass::create(const Device& device, const Pipelines& pipelines,
                                    std::shared_ptr<const FieldKernel> kernel, std::shared_ptr<FieldWeights> weights,
                                    const GBuffer& gbuffer) {
  FieldPass pass;
  pass.extent_ = gbuffer.extent();
  HW_TRY(Buffer colors, Buffer::create(device, VkDeviceSize{pass.extent_.width} * pass.extent_.height * 4,
                                       VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, Placement::Device));
  pass.colors_ = std::make_shared<const Buffer>(std::move(colors));
  const std::array views{gbuffer.position_image().view(), gbuffer.normal_image().view()};
  const std::array buffers{pass.colors_->get(), weights->buffer().get()};
  HW_TRY(DescriptorSet set,
         DescriptorSet::create(device, kernel->set_layout(), pipelines.nearest.get(), views, buffers));
  pass.set_ = std::make_shared<const DescriptorSet>(std::move(set));
  pass.kernel_ = std::move(kernel);
  pass.weights_ = std::move(weights);
  return pass;
}

Status FieldPass::record(Submission& submission) const {
  weights_->upload(submission);
  const uint32_t across = (extent_.width + kSide - 1) / kSide, down = (extent_.height + kSide - 1) / kSide;
  const uint32_t band = std::max(kBand / (kSide * kSide) / across, 1u);  // rows of workgroups
  for (uint32_t first = 0; first < down; first += band) {
    if (first > 0) HW_CHECK(submission.split());
    const VkCommandBuffer commands = submission.commands();
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel_->pipeline());
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel_->layout(), 0, 1, &set_->set, 0, nullptr);
    const auto first_row = static_cast<int32_t>(first * kSide);
    vkCmdPushConstants(commands, kernel_->layout(), VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof first_row, &first_row);
    vkCmdDispatch(commands, across, std::min(band, down - first), 1);
  }
  barrier(submission.commands(), VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
          VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT);
  submission.keep(colors_);
  submission.keep(set_);
  submission.keep(kernel_);
  submission.keep(weights_);
  return ok();
}

}  // namespace hw::viewport
