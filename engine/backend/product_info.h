// Which kernel a device runs for products of a dtype: what a machine has hardware for.
#pragma once

#include "engine/backend/backend.h"

namespace hw {

/// The kernel of a matrix product of factors stored as `dtype` (tf32: f32, computed in tf32), the second by rows of
/// outputs as weights are, as it would run. Error HW-R002 where the device has none: whole numbers.
Result<KernelInfo> product_info(Device& device, DType dtype);

}  // namespace hw
