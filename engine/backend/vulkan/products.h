// Matrix products on Vulkan.
#pragma once

#include "engine/backend/gpu/driver.h"

namespace hw::vulkan {

/// Driver::multiply. Every element is its plain sum, in order of k, whichever kernel makes it: large products are made
/// in tiles. Errors: those of launch_kernel.
Status multiply(gpu::Driver& driver, const gpu::Gemm& gemm);

}  // namespace hw::vulkan
