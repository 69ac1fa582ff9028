// Ids of devices as users write them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace hw {

/// Empty, or what could be a device's id on some machine: at most 40 of a-z, 0-9, _ and :.
bool is_device_id(std::string_view text);

/// The one spelling of an id that names the same device: "cuda" is "cuda:0", and so is "cuda:00"; of "vulkan" likewise.
/// Others as they are.
std::string canonical_device_id(std::string_view id);

/// N of the canonical id "kind:N"; none: it is not of this kind.
std::optional<size_t> device_index(std::string_view id, std::string_view kind);

}  // namespace hw
