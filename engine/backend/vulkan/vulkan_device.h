// The device "vulkan:N": programs on any GPU with a driver for Vulkan 1.2, or on the CPU by a software driver.
#pragma once

#include "engine/backend/backend.h"

namespace hw::vulkan {

/// The adapter that `id` names: "vulkan:N". Errors: HW-R006 no Vulkan, or the adapter lacks features; HW-C001 there are
/// fewer adapters, or it names none.
Result<std::shared_ptr<Device>> make_vulkan_device(const std::string& id);

/// Data sets of more bytes stay on the host when the adapter of this id runs; without that adapter: none does.
size_t resident_bytes(const std::string& id);

}  // namespace hw::vulkan
