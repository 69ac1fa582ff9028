// The devices of this machine, by id. It stands above the back ends: each of them makes its own devices, and none knows
// another.
#pragma once

#include <string>
#include <vector>

#include "engine/backend/backend.h"

namespace hw {

/// Devices of this machine, in the order they are offered: "cpu", "ref", then the GPUs: "cuda:0" …
std::vector<std::string> device_ids();
/// The device with this id, in any spelling (engine/program/device_id.h), which runs nodes with a device of their own
/// there. Errors HW-C001 with the list of ids; HW-R006 why there is no GPU.
Result<std::shared_ptr<Device>> make_device(const std::string& id);

}  // namespace hw
