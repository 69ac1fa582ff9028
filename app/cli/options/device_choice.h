// The option that names a device.
#pragma once

#include <CLI/CLI.hpp>

#include "app/cli/print/print_notes.h"
#include "app/workspace/device_choice.h"

namespace hw::cli {

/// `device` gets its one spelling (engine/program/device_id.h).
CLI::Option* add_device(CLI::App& command, std::string& device, const std::string& help = "See halfwire-cli devices",
                        const std::string& name = "--device");

/// workspace::choose_device of what --device names.
Result<std::shared_ptr<Device>> choose_device(const std::string& id);

}  // namespace hw::cli
