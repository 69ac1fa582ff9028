// The driver of an adapter.
#pragma once

#include <memory>

#include "engine/core/result.h"

namespace hw::gpu {
class Driver;
}

namespace hw::vulkan {

/// The driver of adapters()[index], which can be used. Data sets of more than `resident_bytes` stay in host memory.
/// Errors: as adapters(), HW-R001, HW-R005.
Result<std::shared_ptr<gpu::Driver>> make_driver(size_t index, size_t resident_bytes);

}  // namespace hw::vulkan
