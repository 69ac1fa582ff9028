#include "app/viewport/render_passes.h"

#include <array>

#include "app/viewport/pipelines.h"

namespace hw::viewport {
namespace {

VkAttachmentDescription attachment(VkFormat format, VkAttachmentLoadOp load, VkAttachmentStoreOp store,
                                   VkImageLayout final_layout) {
  VkAttachmentDescription a{};
  a.format = format;
  a.samples = VK_SAMPLE_COUNT_1_BIT;
  a.loadOp = load;
  a.storeOp = store;
  a.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE;
  a.stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
  a.initialLayout = VK_IMAGE_LAYOUT_UNDEFINED;
  a.finalLayout = final_layout;
  return a;
}

constexpr VkPipelineStageFlags kDepthStages =
    VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT;

}  // namespace

Result<UniqueRenderPass> create_gbuffer_pass(const Device& device) {
  const VkAttachmentLoadOp clear = VK_ATTACHMENT_LOAD_OP_CLEAR;
  const VkAttachmentStoreOp store = VK_ATTACHMENT_STORE_OP_STORE;
  const std::array attachments{attachment(kPositionFormat, clear, store, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL),
                               attachment(kNormalFormat, clear, store, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL),
                               attachment(kAlbedoFormat, clear, store, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL),
                               attachment(device.depth_format, clear, VK_ATTACHMENT_STORE_OP_DONT_CARE,
                                          VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL)};
  std::array<VkAttachmentReference, 3> colors{};
  for (uint32_t i = 0; i < colors.size(); ++i) colors[i] = {i, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
  const VkAttachmentReference depth{3, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
  VkSubpassDescription subpass{};
  subpass.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
  subpass.colorAttachmentCount = colors.size();
  subpass.pColorAttachments = colors.data();
  subpass.pDepthStencilAttachment = &depth;

  std::array<VkSubpassDependency, 2> dependencies{};
  // A G-buffer is used again: earlier reads by compose, field and copies, and earlier depth writes, come first.
  dependencies[0].srcSubpass = VK_SUBPASS_EXTERNAL;
  dependencies[0].dstSubpass = 0;
  dependencies[0].srcStageMask = VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT |
                                 VK_PIPELINE_STAGE_TRANSFER_BIT | kDepthStages |
                                 VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
  dependencies[0].srcAccessMask = VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT | VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT;
  dependencies[0].dstStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT | kDepthStages;
  dependencies[0].dstAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT |
                                  VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;
  dependencies[1].srcSubpass = 0;
  dependencies[1].dstSubpass = VK_SUBPASS_EXTERNAL;
  dependencies[1].srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
  dependencies[1].srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT;
  dependencies[1].dstStageMask = VK_PIPELINE_STAGE_TRANSFER_BIT;
  dependencies[1].dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT;

  VkRenderPassCreateInfo info{.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO};
  info.attachmentCount = attachments.size();
  info.pAttachments = attachments.data();
  info.subpassCount = 1;
  info.pSubpasses = &subpass;
  info.dependencyCount = dependencies.size();
  info.pDependencies = dependencies.data();
  VkRenderPass pass = VK_NULL_HANDLE;
  HW_VK(vkCreateRenderPass(device.device, &info, nullptr, &pass));
  return UniqueRenderPass(device.device, pass);
}

Result<UniqueRenderPass> create_compose_pass(const Device& device) {
  const VkAttachmentDescription picture =
      attachment(kPictureFormat, VK_ATTACHMENT_LOAD_OP_DONT_CARE, VK_ATTACHMENT_STORE_OP_STORE,
                 VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
  const VkAttachmentReference color{0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
  VkSubpassDescription subpass{};
  subpass.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
  subpass.colorAttachmentCount = 1;
  subpass.pColorAttachments = &color;

  std::array<VkSubpassDependency, 2> dependencies{};
  // Qt's earlier frames sample the picture on this queue; they must have read it before it is drawn over.
  dependencies[0].srcSubpass = VK_SUBPASS_EXTERNAL;
  dependencies[0].dstSubpass = 0;
  dependencies[0].srcStageMask = VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
  dependencies[0].srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT;
  dependencies[0].dstStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
  dependencies[0].dstAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT;
  dependencies[1].srcSubpass = 0;
  dependencies[1].dstSubpass = VK_SUBPASS_EXTERNAL;
  dependencies[1].srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
  dependencies[1].srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT;
  dependencies[1].dstStageMask = VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
  dependencies[1].dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT;

  VkRenderPassCreateInfo info{.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO};
  info.attachmentCount = 1;
  info.pAttachments = &picture;
  info.subpassCount = 1;
  info.pSubpasses = &subpass;
  info.dependencyCount = dependencies.size();
  info.pDependencies = dependencies.data();
  VkRenderPass pass = VK_NULL_HANDLE;
  HW_VK(vkCreateRenderPass(device.device, &info, nullptr, &pass));
  return UniqueRenderPass(device.device, pass);
}

}  // namespace hw::viewport
