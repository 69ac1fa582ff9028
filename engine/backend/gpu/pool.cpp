#include "engine/backend/gpu/pool.h"

#include <algorithm>

namespace hw::gpu {

size_t block_bytes(size_t bytes) {
  constexpr size_t kMiB = size_t{1} << 20;
  const size_t unit = bytes < kMiB ? 512 : 2 * kMiB;
  return std::max(unit, (bytes + unit - 1) / unit * unit);
}

Buffer::~Buffer() {
  if (pool_ && data_) pool_->put(data_, bytes_);
}

Result<Buffer> Pool::take(size_t bytes) {
  const size_t size = block_bytes(bytes);
  const auto kept = kept_.lower_bound(size);
  if (kept != kept_.end() && kept->first <= 2 * size) {
    Buffer buffer(shared_from_this(), kept->second, kept->first);
    kept_.erase(kept);
    return buffer;
  }
  auto made = driver_->allocate(size);
  if (!made && !kept_.empty()) {
    trim();
    made = driver_->allocate(size);
  }
  if (!made) return made.error();
  return Buffer(shared_from_this(), *made, size);
}

void Pool::put(void* data, size_t bytes) {
  kept_.emplace(bytes, data);
}

void Pool::trim() {
  for (const auto& [bytes, data] : kept_) driver_->release(data);
  kept_.clear();
}

size_t Pool::kept_bytes() const {
  size_t sum = 0;
  for (const auto& [bytes, data] : kept_) sum += bytes;
  return sum;
}

}  // namespace hw::gpu
