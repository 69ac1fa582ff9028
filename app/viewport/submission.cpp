#include "app/viewport/submission.h"

namespace hw::viewport {

Result<Submitter> Submitter::create(const Device& device) {
  Submitter s;
  s.device_ = device;
  VkCommandPoolCreateInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  info.flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT;
  info.queueFamilyIndex = device.queue_family;
  VkCommandPool pool = VK_NULL_HANDLE;
  HW_VK(vkCreateCommandPool(device.device, &info, nullptr, &pool));
  s.pool_ = {device.device, pool};
  return s;
}

Result<std::shared_ptr<Submission>> Submitter::begin() {
  auto s = std::make_shared<Submission>();
  VkFenceCreateInfo fence_info{.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  VkFence fence = VK_NULL_HANDLE;
  HW_VK(vkCreateFence(device_.device, &fence_info, nullptr, &fence));
  s->fence_ = {device_.device, fence};
  s->device_ = device_.device;
  s->pool_ = pool_.get();
  HW_CHECK(s->split());
  return s;
}

Status Submission::split() {
  if (!commands_.empty()) HW_VK(vkEndCommandBuffer(commands_.back()));
  VkCommandBufferAllocateInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  info.commandPool = pool_;
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = 1;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  HW_VK(vkAllocateCommandBuffers(device_, &info, &commands));
  commands_.push_back(commands);
  VkCommandBufferBeginInfo begin{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  HW_VK(vkBeginCommandBuffer(commands, &begin));
  return ok();
}

Status Submitter::submit(const std::shared_ptr<Submission>& submission) {
  HW_VK(vkEndCommandBuffer(submission->commands()));
  for (const VkCommandBuffer& commands : submission->commands_) {
    const bool last = &commands == &submission->commands_.back();
    VkSubmitInfo info{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO};
    info.commandBufferCount = 1;
    info.pCommandBuffers = &commands;
    HW_VK(vkQueueSubmit(device_.queue, 1, &info, last ? submission->fence() : VK_NULL_HANDLE));
  }
  in_flight_.push_back(submission);
  return ok();
}

void Submitter::collect() {
  std::erase_if(in_flight_, [&](const std::shared_ptr<Submission>& s) {
    if (!s->finished(device_.device)) return false;
    vkFreeCommandBuffers(device_.device, pool_.get(), static_cast<uint32_t>(s->commands_.size()), s->commands_.data());
    s->kept_.clear();
    return true;
  });
}

void Submitter::drain() {
  for (const auto& s : in_flight_) {
    const VkFence fence = s->fence();
    vkWaitForFences(device_.device, 1, &fence, VK_TRUE, UINT64_MAX);
  }
  collect();
}

}  // namespace hw::viewport
