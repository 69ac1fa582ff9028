// A device on any GPU's driver: programs as launches. Knows neither CUDA nor Vulkan.
#pragma once

#include "engine/backend/backend.h"
#include "engine/backend/gpu/driver.h"
#include "engine/backend/temp_bytes.h"

namespace hw::gpu {

/// A device on any driver. Everything made from it shares the driver: one thread at a time.
std::shared_ptr<Device> make_device_on(std::shared_ptr<Driver> driver);

/// Temporaries by the liveness plan: whole tensors. `fuses_elementwise`: as Driver's.
TempBytes temp_bytes(const Program& program, bool fuses_elementwise);

}  // namespace hw::gpu
