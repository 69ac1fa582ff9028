// The ranks but 0 of a training.
#pragma once

#include "engine/backend/backend.h"
#include "engine/devices/devices.h"
#include "engine/train/communicator.h"

namespace hw {

/// Trains as rank 0's Session orders, until that ends. A failure of this rank ends the step on all ranks and is
/// reported by rank 0; the next order is waited for. Blocks. Errors: those of the communicator.
Status follow(const std::shared_ptr<Communicator>& ranks, Assets& assets,
              const std::function<Result<std::shared_ptr<Device>>(const std::string& id)>& devices = make_device);

}  // namespace hw
