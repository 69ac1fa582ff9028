// Command buffers in flight: each submission keeps alive what it uses until its fence has signalled.
#pragma once

#include <memory>
#include <vector>

#include "app/viewport/gpu_memory.h"

namespace hw::viewport {

/// Command buffers that are submitted one after the other, their fence and their resources.
class Submission {
 public:
  /// The one that is recorded.
  VkCommandBuffer commands() const { return commands_.back(); }
  /// What follows is submitted by itself, behind what came before it: drivers end work that takes them seconds, and
  /// other programs wait for each piece. Errors HW-V003 to 5.
  Status split();
  /// May be waited for on any thread while the Submission lives.
  VkFence fence() const { return fence_.get(); }
  /// Holds a resource until the device has finished with it.
  void keep(std::shared_ptr<const void> resource) { kept_.push_back(std::move(resource)); }
  bool finished(VkDevice device) const { return vkGetFenceStatus(device, fence_.get()) == VK_SUCCESS; }

 private:
  friend class Submitter;
  VkDevice device_ = VK_NULL_HANDLE;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  std::vector<VkCommandBuffer> commands_;  // all but the last have ended
  UniqueFence fence_;
  std::vector<std::shared_ptr<const void>> kept_;
};

/// Records and submits on one thread (the render thread in a window).
class Submitter {
 public:
  static Result<Submitter> create(const Device& device);
  Submitter() = default;
  Submitter(Submitter&&) = default;
  Submitter& operator=(Submitter&&) = default;

  /// An open command buffer for one submission.
  Result<std::shared_ptr<Submission>> begin();
  /// Closes and submits it. Never waits.
  Status submit(const std::shared_ptr<Submission>& submission);
  /// Lets go of finished submissions and what they kept.
  void collect();
  /// Waits until all have finished; for shutting down.
  void drain();

 private:
  Device device_;
  UniqueCommandPool pool_;
  std::vector<std::shared_ptr<Submission>> in_flight_;
};

}  // namespace hw::viewport
