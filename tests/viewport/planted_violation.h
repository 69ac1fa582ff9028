// Deliberate misuse of a Vulkan device, to prove that the validation check can fail. No Qt.
#pragma once

#include "app/viewport/device.h"

namespace hw::viewport::test {

/// Breaks a core rule: a buffer of size 0.
void plant_core_violation(VkDevice device);
/// Breaks a synchronisation rule: two copies write the same bytes without a barrier.
Status plant_hazard(const Device& device);

}  // namespace hw::viewport::test
