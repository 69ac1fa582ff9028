// What a program's runs put aside: copies on the device, read back in one go.
#include <cstring>

#include "engine/backend/cuda/cuda_executable.h"

namespace hw::cuda {

Status CudaExecutable::put_aside(ValueId v) {
  HW_CHECK(check_readable(v));
  const size_t bytes = cpu::value_bytes((*program_)[v]);
  if (aside_bytes_ + bytes > kAsideBytes) HW_CHECK(fetch_aside());
  if (bytes > kAsideBytes) return Executable::put_aside(v);
  if (!aside_memory_.data()) {
    HW_TRY(aside_memory_, device_->take(kAsideBytes, (*program_)[v].name, "values of past steps"));
  }
  HW_CHECK(device_->usable());
  void* to = static_cast<std::byte*>(aside_memory_.data()) + aside_bytes_;
  if (bytes > 0) HW_CHECK(device_->at(device_->driver->copy(to, data_[v], bytes), (*program_)[v].name));
  aside_at_.emplace_back(v, aside_bytes_);
  aside_bytes_ += (bytes + 15) / 16 * 16;
  return ok();
}

Status CudaExecutable::fetch_aside() {
  std::vector<std::byte> all(aside_bytes_);
  HW_CHECK(device_->usable());
  if (!all.empty()) HW_CHECK(device_->at(device_->driver->download(all.data(), aside_memory_.data(), all.size()), ""));
  for (const auto& [v, at] : aside_at_) {
    Tensor tensor((*program_)[v].dtype, (*program_)[v].dims);
    if (tensor.bytes() > 0) std::memcpy(tensor.data(), all.data() + at, tensor.bytes());
    aside_.push_back(std::move(tensor));
  }
  aside_at_.clear();
  aside_bytes_ = 0;
  return ok();
}

Result<std::vector<Tensor>> CudaExecutable::take_aside() {
  HW_CHECK(fetch_aside());
  return Executable::take_aside();
}

}  // namespace hw::cuda
