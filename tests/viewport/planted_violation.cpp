#include "tests/viewport/planted_violation.h"

#include "app/viewport/submission.h"

namespace hw::viewport::test {

void plant_core_violation(VkDevice device) {
  VkBufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = 0;
  info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
  VkBuffer buffer = VK_NULL_HANDLE;
  if (vkCreateBuffer(device, &info, nullptr, &buffer) == VK_SUCCESS) vkDestroyBuffer(device, buffer, nullptr);
}

Status plant_hazard(const Device& device) {
  HW_TRY(const Buffer from, Buffer::create(device, 256, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, Placement::HostWrite));
  HW_TRY(const Buffer to, Buffer::create(device, 256, VK_BUFFER_USAGE_TRANSFER_DST_BIT, Placement::HostRead));
  HW_TRY(Submitter submitter, Submitter::create(device));
  HW_TRY(const auto submission, submitter.begin());
  const VkBufferCopy region{0, 0, 256};
  vkCmdCopyBuffer(submission->commands(), from.get(), to.get(), 1, &region);
  vkCmdCopyBuffer(submission->commands(), from.get(), to.get(), 1, &region);
  HW_CHECK(submitter.submit(submission));
  submitter.drain();
  return ok();
}

}  // namespace hw::viewport::test
