// The ref device: the oracle. Naive loops of its own in f64; a value is rounded once, when it is stored.
#pragma once

#include <memory>

#include "engine/backend/backend.h"

namespace hw {

/// Runs every op at every storable dtype, single threaded, slowly. Keeps every value readable after a run.
std::shared_ptr<Device> make_ref_device();

}  // namespace hw
