// The devices of this machine, by id. It stands above the back ends: each of them makes its own devices, and none knows
// another.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/backend/backend.h"

namespace hw {

/// Devices of this machine, in the order they are offered: "cpu", "ref", then the GPUs: "cuda:0" …, "vulkan:0" …
/// Looks for GPUs, which starts CUDA and Vulkan the first time.
std::vector<std::string> device_ids();
/// Whether device_ids() has this canonical id. Looks for GPUs only where it could be one of them.
bool has_device(const std::string& id);
/// What runs where nobody chose: "cpu".
std::string default_device_id();
/// What a GPU of device_ids() is called: "NVIDIA H200". Others: "".
std::string device_name(const std::string& id);
/// The kinds of GPUs that this machine has none of: "cuda", and why. Looks for them.
std::vector<std::pair<std::string, Error>> absent_devices();
/// The device with this id, in any spelling (engine/program/device_id.h), which runs nodes with a device of their own
/// there. Errors HW-C001 with the list of ids; HW-R006 why there is no GPU.
Result<std::shared_ptr<Device>> make_device(const std::string& id);

}  // namespace hw
