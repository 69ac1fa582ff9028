// What a device will need for temporaries, told before anything is allocated.
#pragma once

#include <string>

#include "engine/core/result.h"
#include "engine/program/program.h"

namespace hw {

/// Bytes of temporaries that `program` takes on a device, by its liveness plan and with tiles for as many threads as
/// there are now, without making kernels: what a kernel keeps for itself is not in it. Error HW-C001 for an unknown
/// device.
Result<size_t> estimate_temp_bytes(const std::string& device, const Program& program);

}  // namespace hw
