// Values that a program's runs queue for the host: copies on the device, read back in one go.
#include <cstring>

#include "engine/backend/gpu/gpu_executable.h"

namespace hw::gpu {

Status GpuExecutable::queue_readback(ValueId v) {
  HW_CHECK(check_readable(v));
  const size_t bytes = plan::value_bytes((*program_)[v]);
  if (readback_bytes_ + bytes > kReadbackBytes) HW_CHECK(fetch_readbacks());
  if (bytes > kReadbackBytes) return Executable::queue_readback(v);
  if (!readback_memory_.data()) {
    HW_TRY(readback_memory_, device_->take(kReadbackBytes, (*program_)[v].name, "values of past steps"));
  }
  HW_CHECK(device_->usable());
  void* to = static_cast<std::byte*>(readback_memory_.data()) + readback_bytes_;
  if (bytes > 0) HW_CHECK(device_->at(device_->driver->copy(to, data_[v], bytes), (*program_)[v].name));
  readback_at_.emplace_back(v, readback_bytes_);
  readback_bytes_ += (bytes + 15) / 16 * 16;
  return ok();
}

Status GpuExecutable::fetch_readbacks() {
  std::vector<std::byte> all(readback_bytes_);
  HW_CHECK(device_->usable());
  if (!all.empty())
    HW_CHECK(device_->at(device_->driver->download(all.data(), readback_memory_.data(), all.size()), ""));
  for (const auto& [v, at] : readback_at_) {
    Tensor tensor((*program_)[v].dtype, (*program_)[v].dims);
    if (tensor.bytes() > 0) std::memcpy(tensor.data(), all.data() + at, tensor.bytes());
    readbacks_.push_back(std::move(tensor));
  }
  readback_at_.clear();
  readback_bytes_ = 0;
  return ok();
}

Result<std::vector<Tensor>> GpuExecutable::take_readbacks() {
  HW_CHECK(fetch_readbacks());
  return Executable::take_readbacks();
}

}  // namespace hw::gpu
