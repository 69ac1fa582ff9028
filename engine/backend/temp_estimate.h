// What a device will need for temporaries, told before anything is allocated.
#pragma once

#include <string>

#include "engine/core/result.h"
#include "engine/program/program.h"

namespace hw {

/// Bytes of temporaries.
struct TempBytes {
  size_t values = 0;  // whole tensors, by the device's liveness plan
  size_t tiles = 0;   // parts of tensors that as many threads as there are now work on
  size_t total() const { return values + tiles; }
};

/// What `program` takes on a device, told without making kernels: what a kernel keeps for itself is not in it. Error
/// HW-C001 for an unknown device.
Result<TempBytes> estimate_temp_bytes(const std::string& device, const Program& program);

}  // namespace hw
