// devices: where graphs can run on this machine.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "app/cli/commands.h"
#include "app/cli/report.h"
#include "engine/backend/backend.h"

namespace hw::cli {

static int devices() {
  for (const std::string& id : device_ids()) {
    const auto device = make_device(id);
    if (!device) return report(device.error());
    std::printf("%-8s %s\n", id.c_str(), (*device)->description().c_str());
  }
  return kDone;
}

void add_devices(CLI::App& app, Action& chosen) {
  app.add_subcommand("devices", "List the devices of this machine")->callback([&chosen] { chosen = devices; });
}

}  // namespace hw::cli
