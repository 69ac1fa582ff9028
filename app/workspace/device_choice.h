// Devices that the user asks for by name: which names there can be, and why one is not available.
#pragma once

#include "app/workspace/option_names.h"
#include "engine/backend/backend.h"
#include "engine/graph/check/diagnostic.h"

namespace hw::workspace {

/// The device of this id. Errors, at `asked`, which says by what it was named: HW-C001 no machine has such a device;
/// HW-R006 this one has no such GPU, and why; those of make_device.
Result<std::shared_ptr<Device>> choose_device(const std::string& id, const std::string& asked);
/// The same, named by the option of devices.
Result<std::shared_ptr<Device>> choose_device(const std::string& id, const OptionNames& names);
/// A HW-R007 of a node with, added to its reason, why the GPU is not here or that no machine has such a device; others
/// as they are.
Diagnostic explained(Diagnostic diagnostic);

}  // namespace hw::workspace
