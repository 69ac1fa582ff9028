// DeviceContext: a driver, its memory, and the failure that ended it.
#pragma once

#include <map>
#include <optional>

#include "engine/backend/gpu/pool.h"

namespace hw::gpu {

/// Shared by the states and executables of a device. One thread at a time.
struct DeviceContext {
  explicit DeviceContext(std::shared_ptr<Driver> d) : driver(std::move(d)), pool(std::make_shared<Pool>(driver)) {}

  /// `status`, its place set to `where` (a node). A failure of the GPU stays: no later call succeeds.
  Status at(Status status, const std::string& where);
  /// The failure that stays.
  Status usable() const;
  /// Memory for something of that name and size. Error HW-R001 with both.
  Result<Buffer> take(size_t bytes, const std::string& where, const std::string& what);

  std::shared_ptr<Driver> driver;
  std::shared_ptr<Pool> pool;
  std::optional<Error> failure;

  /// `count` of the driver's marks in a row for the caller alone, until they are released: the first of them.
  size_t take_marks(size_t count);
  void release_marks(size_t first) { marks.erase(first); }
  std::map<size_t, size_t> marks;  // taken: the first, and behind the last
};

/// "12 MiB".
std::string mebibytes(size_t bytes);

}  // namespace hw::gpu
