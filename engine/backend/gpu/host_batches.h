// Batches that stream from the host: while a step runs, the next one's is gathered in pinned memory and sent.
#pragma once

#include <array>
#include <vector>

#include "engine/backend/gpu/device_context.h"
#include "engine/backend/gpu/op_context.h"

namespace hw::gpu {

/// All that one executable reads from the host step by step. Each batch has two slots, in turn: one that is sent, one
/// whose step runs.
class HostBatches {
 public:
  explicit HostBatches(std::shared_ptr<DeviceContext> device) : device_(std::move(device)) {}
  /// Waits for what is on its way.
  ~HostBatches();

  /// Device memory that holds the batch of the step that runs.
  Result<const void*> add(size_t bytes, FillBatch fill, const std::string& where);
  /// Work from here on reads the batches of `step`: they were sent before, or are gathered and sent now.
  Status deliver(const StepInputs& step);
  /// Gathers and sends those of the step that is likely to follow, beside the work that was launched last. All work
  /// before that is to have ended.
  Status prefetch(const StepInputs& step);
  size_t bytes() const { return bytes_; }

 private:
  struct Batch {
    size_t bytes;
    FillBatch fill;
    std::array<void*, 2> pinned{};
    std::array<Buffer, 2> slots;
    Buffer current;
  };
  struct Slot {
    std::unique_ptr<HostCopy> transfer;
    bool holds = false;
    uint64_t seed = 0, step = 0;
    bool is_of(const StepInputs& inputs) const { return holds && seed == inputs.seed && step == inputs.step; }
  };
  Status fill(size_t slot, const StepInputs& step);

  std::shared_ptr<DeviceContext> device_;
  std::vector<Batch> batches_;
  std::array<Slot, 2> slots_;
  size_t running_ = 1;  // the slot of the step that runs
  size_t bytes_ = 0;
};

}  // namespace hw::gpu
