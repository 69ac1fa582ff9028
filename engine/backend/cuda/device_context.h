// DeviceContext: a driver, its memory, and the failure that ended it.
#pragma once

#include <optional>

#include "engine/backend/cuda/pool.h"

namespace hw::cuda {

class CudaExecutable;

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
  CudaExecutable* ahead = nullptr;  // whose runs may be under way: the driver's marks are its
};

/// "12 MiB".
std::string mebibytes(size_t bytes);

}  // namespace hw::cuda
