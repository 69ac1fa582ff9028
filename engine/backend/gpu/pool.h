// Pool: freed device memory is kept for the next request, since allocation on a GPU is slow.
#pragma once

#include <map>
#include <memory>

#include "engine/backend/gpu/driver.h"

namespace hw::gpu {

class Pool;

/// A block of device memory, back to its pool at the end. Movable.
class Buffer {
 public:
  Buffer() = default;
  Buffer(std::shared_ptr<Pool> pool, void* data, size_t bytes) : pool_(std::move(pool)), data_(data), bytes_(bytes) {}
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Buffer();
  void* data() const { return data_; }
  /// As taken: what was asked for, rounded up.
  size_t bytes() const { return bytes_; }

 private:
  void swap(Buffer& other) {
    std::swap(pool_, other.pool_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
  }
  std::shared_ptr<Pool> pool_;
  void* data_ = nullptr;
  size_t bytes_ = 0;
};

/// One thread at a time. Outlives its buffers, which hold it; the driver is theirs together.
class Pool : public std::enable_shared_from_this<Pool> {
 public:
  explicit Pool(std::shared_ptr<Driver> driver) : driver_(std::move(driver)) {}
  ~Pool() { trim(); }

  /// The smallest kept block that is not more than twice as large, or a new one; when there is no room, after giving
  /// every kept block back. At least one byte. Error HW-R001, without a place.
  Result<Buffer> take(size_t bytes);
  /// Gives the kept blocks back to the driver.
  void trim();
  size_t kept_bytes() const;

 private:
  friend class Buffer;
  void put(void* data, size_t bytes);

  std::shared_ptr<Driver> driver_;
  std::multimap<size_t, void*> kept_;
};

/// What blocks are rounded up to: 512 bytes, from 1 MiB on 2 MiB.
size_t block_bytes(size_t bytes);

}  // namespace hw::gpu
