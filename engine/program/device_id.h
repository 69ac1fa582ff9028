// Ids of devices as users write them.
#pragma once

#include <string>
#include <string_view>

namespace hw {

/// Empty, or what could be a device's id on some machine: at most 40 of a-z, 0-9, _ and :.
bool is_device_id(std::string_view text);

/// The one spelling of an id that names the same device: "cuda" is "cuda:0", and so is "cuda:00". Others as they are.
std::string canonical_device_id(std::string_view id);

}  // namespace hw
