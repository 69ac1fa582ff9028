// Stream: work on a device's queue, in order, as batches of commands that are submitted without waiting.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "engine/backend/gpu/driver.h"
#include "engine/backend/vulkan/memory.h"

namespace hw::vulkan {

/// Host memory that the device reads.
struct HostPlace {
  std::byte* mapped = nullptr;
  BlockPlace place;
  uint64_t address = 0;
};

/// One thread at a time. Errors: HW-R001, HW-R005; after the second, which may come from earlier work, every call gives
/// it again.
class Stream {
 public:
  static Result<std::unique_ptr<Stream>> make(const Context& context);
  ~Stream();  // waits for all work

  /// Where the next command is recorded, which begins once all before it is done and seen. With host memory for it,
  /// at most kChunk bytes, that stays as it is until it is done.
  struct Next {
    VkCommandBuffer commands = VK_NULL_HANDLE;
    HostPlace host = {};
  };
  Result<Next> next(size_t host_bytes = 0);
  /// The host sees what was written before, once it has waited.
  Status show_host();
  static constexpr size_t kChunk = size_t{4} << 20;

  /// Begins what waits to be begun.
  Status submit();
  /// Waits for all work.
  Status wait();
  /// The same whatever fails: nothing runs any more.
  void wait_idle();
  /// What serial() was then: waits for the work up to there.
  Status wait_for(uint64_t serial);
  uint64_t serial() const { return submitted_ + 1; }
  /// That were recorded so far.
  size_t barriers() const { return barriers_; }
  /// Commands of their own, begun at once behind all before: the serial to wait for.
  Result<uint64_t> run_now(const std::function<void(VkCommandBuffer)>& record);

  /// From here on commands are kept instead of begun.
  Status begin_recording();
  /// In a recording: the next command waits for all before it, and those behind that one no more, up to the next call.
  void begin_level() { level_ = Level::begins; }
  Result<std::unique_ptr<gpu::Recording>> end_recording();
  Status replay(gpu::Recording& recording);

 private:
  struct Batch {
    VkCommandBuffer commands = VK_NULL_HANDLE;
    std::vector<Block> chunks;
    uint64_t serial = 0;
  };
  struct Recorded;
  explicit Stream(const Context& context);
  Status start();
  Result<VkCommandBuffer> begin(bool again);
  Status end_and_submit(Batch& batch);
  enum class SeenBy : uint8_t { device, host };
  /// A barrier: what follows comes after all commands before, whatever they wrote.
  void wait_for_commands(VkCommandBuffer commands, SeenBy seen_by = SeenBy::device);
  Status submit_commands(VkCommandBuffer commands);
  Status open();
  Result<HostPlace> host_memory(size_t bytes);
  Result<Block> take_chunk();
  /// Takes back what is done; `least` of the serials are.
  Status collect(uint64_t least);
  Status record_further();
  void take_back(Batch& batch);
  Status fail(const Status& status);

  const Context& context_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkSemaphore timeline_ = VK_NULL_HANDLE;
  uint64_t submitted_ = 0;  // the last serial
  std::optional<Batch> open_;
  std::vector<Batch> running_;  // in order
  std::vector<VkCommandBuffer> free_commands_;
  std::vector<Block> free_chunks_;
  size_t chunks_ = 0;    // of batches, free or not
  size_t commands_ = 0;  // of the open batch
  size_t barriers_ = 0;
  size_t used_ = kChunk;  // of the last chunk of the open batch or of the recording
  std::unique_ptr<Recorded> recorded_;
  enum class Level : uint8_t { none, begins, open } level_ = Level::none;  // of the recording
  std::optional<Error> failure_;
};

}  // namespace hw::vulkan
