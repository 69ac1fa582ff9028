#include "app/viewport/compose.h"

#include <algorithm>
#include <cmath>

namespace hw::viewport {
namespace {

enum Flags : uint32_t { kField = 1, kLit = 2 };

}  // namespace

Result<std::shared_ptr<const Buffer>> create_color_buffer(const Device& device, size_t pixels) {
  HW_TRY(Buffer made, Buffer::create(device, std::max<size_t>(pixels, 1) * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                                     Placement::HostWrite));
  return std::make_shared<const Buffer>(std::move(made));
}

Result<std::shared_ptr<ShadedFrame>> ShadedFrame::create(const Device& device, const Pipelines& pipelines,
                                                         std::shared_ptr<const GBuffer> gbuffer,
                                                         std::shared_ptr<const Buffer> colors) {
  auto frame = std::make_shared<ShadedFrame>();
  frame->gbuffer_ = std::move(gbuffer);
  frame->has_field_ = colors != nullptr;
  frame->colors_ = std::move(colors);
  if (!frame->has_field_) {
    HW_TRY(frame->colors_, create_color_buffer(device, 1));
  }

  const GBuffer& g = *frame->gbuffer_;
  const std::array views{g.position_image().view(), g.normal_image().view(), g.albedo_image().view()};
  HW_TRY(frame->set_, DescriptorSet::create(device, pipelines.compose_set_layout.get(), pipelines.nearest.get(), views,
                                            std::array{frame->colors_->get()}));
  return frame;
}

Result<std::shared_ptr<Picture>> Picture::create(const Device& device, const Pipelines& pipelines, VkExtent2D extent) {
  auto p = std::make_shared<Picture>();
  HW_TRY(p->image_, Image2D::create(device, extent, kPictureFormat,
                                    VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT |
                                        VK_IMAGE_USAGE_TRANSFER_SRC_BIT));
  const VkImageView view = p->image_.view();
  VkFramebufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO};
  info.renderPass = pipelines.compose_pass.get();
  info.attachmentCount = 1;
  info.pAttachments = &view;
  info.width = extent.width;
  info.height = extent.height;
  info.layers = 1;
  VkFramebuffer framebuffer = VK_NULL_HANDLE;
  HW_VK(vkCreateFramebuffer(device.device, &info, nullptr, &framebuffer));
  p->framebuffer_ = {device.device, framebuffer};
  return p;
}

void Picture::record(const std::shared_ptr<Submission>& submission, const Pipelines& pipelines,
                     std::shared_ptr<const ShadedFrame> frame, const Float3& eye, const ComposeOptions& options) const {
  const VkCommandBuffer commands = submission->commands();
  const VkExtent2D out = extent();
  const VkExtent2D in = frame->gbuffer().extent();
  const float width = static_cast<float>(out.width);
  ComposePush push{};
  push.eye = {eye[0], eye[1], eye[2], 1};
  const auto& [top, bottom] = options.background;
  push.top = {top[0], top[1], top[2], 1};
  push.bottom = {bottom[0], bottom[1], bottom[2], 1};
  push.out_size = {width, static_cast<float>(out.height)};
  push.in_size = {static_cast<int32_t>(in.width), static_cast<int32_t>(in.height)};
  push.scale = static_cast<float>(in.height) / static_cast<float>(out.height);
  push.split_x = options.split * width;
  const bool divider = frame->has_field() && options.divider && options.split > 0 && options.split < 1;
  push.divider_x = divider ? std::min(std::floor(push.split_x), width - 1) : -1.0f;
  push.flags = (frame->has_field() ? kField : 0u) | (options.lit ? kLit : 0u);

  VkRenderPassBeginInfo begin{.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO};
  begin.renderPass = pipelines.compose_pass.get();
  begin.framebuffer = framebuffer_.get();
  begin.renderArea.extent = out;
  vkCmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
  const VkViewport viewport{0, 0, width, static_cast<float>(out.height), 0, 1};
  const VkRect2D scissor{{0, 0}, out};
  vkCmdSetViewport(commands, 0, 1, &viewport);
  vkCmdSetScissor(commands, 0, 1, &scissor);
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines.compose.get());
  const VkDescriptorSet set = frame->set();
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines.compose_layout.get(), 0, 1, &set, 0,
                          nullptr);
  vkCmdPushConstants(commands, pipelines.compose_layout.get(), VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof(push), &push);
  vkCmdDraw(commands, 3, 1, 0, 0);
  vkCmdEndRenderPass(commands);
  submission->keep(std::move(frame));
}

}  // namespace hw::viewport
