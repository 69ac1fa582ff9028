// --device: one spelling for each device, whatever was written.
#pragma once

#include <CLI/CLI.hpp>

#include "engine/program/device_id.h"

namespace hw::cli {

inline CLI::Option* add_device(CLI::App& command, std::string& device,
                               const std::string& help = "See halfwire-cli devices",
                               const std::string& name = "--device") {
  return command.add_option(name, device, help)->capture_default_str()->transform([](const std::string& written) {
    return canonical_device_id(written);
  });
}

}  // namespace hw::cli
