// Vulkan validation on request: HALFWIRE_VULKAN_LOG=path switches the Khronos layer on for every instance made later.
#pragma once

namespace hw::viewport {

/// Core and synchronisation checks, written by the layer itself to the path in HALFWIRE_VULKAN_LOG. Acts through the
/// loader's environment, so it also reaches Qt's instance; call it on the main thread before the first window.
/// Does nothing when the variable is unset. One log holds one instance: a later instance starts it afresh.
/// True when validation was asked for.
bool enable_validation_from_environment();

}  // namespace hw::viewport
