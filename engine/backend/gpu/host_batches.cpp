#include "engine/backend/gpu/host_batches.h"

namespace hw::gpu {

HostBatches::~HostBatches() {
  Driver& driver = *device_->driver;
  for (Slot& slot : slots_)
    if (slot.transfer) (void)driver.arrive(*slot.transfer);
  for (const Batch& batch : batches_)
    for (void* memory : batch.pinned)
      if (memory) driver.release_pinned(memory);
}

Result<const void*> HostBatches::add(size_t bytes, FillBatch fill, const std::string& where) {
  Driver& driver = *device_->driver;
  Batch& batch = batches_.emplace_back();
  batch.bytes = bytes;
  batch.fill = std::move(fill);
  HW_TRY(batch.current, device_->take(bytes, where, "a batch from the host"));
  for (size_t s = 0; s < 2; ++s) {
    HW_TRY(batch.slots[s], device_->take(bytes, where, "a batch from the host"));
    auto pinned = driver.allocate_pinned(bytes);
    if (!pinned) return device_->at(pinned.error(), where).error();
    batch.pinned[s] = *pinned;
    if (slots_[s].transfer) continue;
    auto transfer = driver.make_transfer();
    if (!transfer) return device_->at(transfer.error(), where).error();
    slots_[s].transfer = std::move(*transfer);
  }
  bytes_ += 3 * batch.current.bytes();
  return static_cast<const void*>(batch.current.data());
}

Status HostBatches::fill(size_t slot, const StepInputs& step) {
  Slot& s = slots_[slot];
  s.holds = false;
  HW_CHECK(device_->at(device_->driver->arrive(*s.transfer), ""));
  for (const Batch& batch : batches_) {
    batch.fill(static_cast<std::byte*>(batch.pinned[slot]), step);
    HW_CHECK(
        device_->at(device_->driver->send(*s.transfer, batch.slots[slot].data(), batch.pinned[slot], batch.bytes), ""));
  }
  s.holds = true;
  s.seed = step.seed;
  s.step = step.step;
  return ok();
}

Status HostBatches::deliver(const StepInputs& step) {
  if (batches_.empty()) return ok();
  size_t slot = 2;
  for (size_t s = 0; s < 2; ++s)
    if (slots_[s].is_of(step)) slot = s;
  if (slot == 2) {
    slot = 1 - running_;
    HW_CHECK(fill(slot, step));
  }
  HW_CHECK(device_->at(device_->driver->await(*slots_[slot].transfer), ""));
  for (const Batch& batch : batches_)
    HW_CHECK(device_->at(device_->driver->copy(batch.current.data(), batch.slots[slot].data(), batch.bytes), ""));
  running_ = slot;
  return ok();
}

Status HostBatches::prefetch(const StepInputs& step) {
  const size_t other = 1 - running_;
  return batches_.empty() || slots_[other].is_of(step) ? ok() : fill(other, step);
}

}  // namespace hw::gpu
