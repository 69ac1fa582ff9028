#include "app/viewport/gbuffer.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "engine/core/codes.h"

namespace hw::viewport {

float half_to_float(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
  const uint32_t exponent = half >> 10 & 0x1fu;
  const uint32_t mantissa = half & 0x3ffu;
  if (exponent == 0) return std::copysign(std::ldexp(static_cast<float>(mantissa), -24), sign ? -1.0f : 1.0f);
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | mantissa << 13);
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
}

Result<std::shared_ptr<GBuffer>> GBuffer::create(const Device& device, const Pipelines& pipelines, VkExtent2D extent,
                                                 bool read_albedo) {
  const uint32_t limit = std::min(
      {device.limits.maxImageDimension2D, device.limits.maxFramebufferWidth, device.limits.maxFramebufferHeight});
  if (extent.width == 0 || extent.height == 0 || extent.width > limit || extent.height > limit)
    return Error{codes::picture_size, "",
                 "A picture of " + std::to_string(extent.width) + " x " + std::to_string(extent.height) +
                     " pixels cannot be drawn.",
                 "Choose a width and height from 1 to " + std::to_string(limit) + "."};
  auto g = std::make_shared<GBuffer>();
  g->extent_ = extent;
  const VkImageUsageFlags color =
      VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  HW_TRY(g->position_, Image2D::create(device, extent, kPositionFormat, color));
  HW_TRY(g->normal_, Image2D::create(device, extent, kNormalFormat, color));
  HW_TRY(g->albedo_, Image2D::create(device, extent, kAlbedoFormat, color));
  HW_TRY(g->depth_, Image2D::create(device, extent, device.depth_format, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT));
  const std::array views{g->position_.view(), g->normal_.view(), g->albedo_.view(), g->depth_.view()};
  VkFramebufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO};
  info.renderPass = pipelines.gbuffer_pass.get();
  info.attachmentCount = views.size();
  info.pAttachments = views.data();
  info.width = extent.width;
  info.height = extent.height;
  info.layers = 1;
  VkFramebuffer framebuffer = VK_NULL_HANDLE;
  HW_VK(vkCreateFramebuffer(device.device, &info, nullptr, &framebuffer));
  g->framebuffer_ = {device.device, framebuffer};

  const VkDeviceSize pixels = VkDeviceSize{extent.width} * extent.height;
  const VkBufferUsageFlags copied = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  HW_TRY(g->position_copy_, Buffer::create(device, pixels * 16, copied, Placement::HostRead));
  HW_TRY(g->normal_copy_, Buffer::create(device, pixels * sizeof(Half4), copied, Placement::HostRead));
  if (read_albedo) {
    HW_TRY(g->albedo_copy_, Buffer::create(device, pixels * sizeof(Half4), copied, Placement::HostRead));
  }
  return g;
}

void GBuffer::record(Submission& submission, const Pipelines& pipelines, GpuMesh* mesh,
                     const std::array<float, 16>& clip_from_object, View view, bool read_back) const {
  const VkCommandBuffer commands = submission.commands();
  if (mesh) mesh->upload(submission);
  const std::array<VkClearValue, 4> clear{};  // reversed z: 0 is far
  VkRenderPassBeginInfo begin{.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO};
  begin.renderPass = pipelines.gbuffer_pass.get();
  begin.framebuffer = framebuffer_.get();
  begin.renderArea.extent = extent_;
  begin.clearValueCount = clear.size();
  begin.pClearValues = clear.data();
  vkCmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
  if (mesh) {
    const VkViewport viewport{0, 0, static_cast<float>(extent_.width), static_cast<float>(extent_.height), 0, 1};
    const VkRect2D scissor{{0, 0}, extent_};
    vkCmdSetViewport(commands, 0, 1, &viewport);
    vkCmdSetScissor(commands, 0, 1, &scissor);
    mesh->draw(commands, pipelines, clip_from_object, view);
  }
  vkCmdEndRenderPass(commands);

  VkBufferImageCopy region{};
  region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  region.imageExtent = {extent_.width, extent_.height, 1};
  const std::array<std::pair<const Image2D*, const Buffer*>, 3> copies{
      {{&position_, &position_copy_}, {&normal_, &normal_copy_}, {&albedo_, &albedo_copy_}}};
  for (const auto& [image, buffer] : copies) {
    if (buffer->get() && read_back) {
      vkCmdCopyImageToBuffer(commands, image->get(), VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, buffer->get(), 1, &region);
      host_read_barrier(commands, buffer->get());
    }
    image_barrier(
        commands, image->get(),
        {VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_PIPELINE_STAGE_TRANSFER_BIT,
         VK_ACCESS_TRANSFER_READ_BIT, VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
         VK_ACCESS_SHADER_READ_BIT});
  }
}

}  // namespace hw::viewport
