// The cuda device on a driver in host memory.
#pragma once

#include "engine/backend/gpu/gpu_device.h"
#include "host_driver.h"

namespace hw::test {

inline std::shared_ptr<Device> host_gpu(HostDriver::Options options = {}) {
  return gpu::make_device_on(std::make_shared<HostDriver>(options));
}

}  // namespace hw::test
