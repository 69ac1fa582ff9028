// devices: where graphs can run on this machine.
#include "engine/devices/devices.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/commands/commands.h"
#include "app/cli/print/json_output.h"
#include "app/cli/print/report.h"
#include "engine/backend/product_info.h"
#include "engine/plan/memory_estimate.h"

namespace hw::cli::devices_command {

using nlohmann::ordered_json;

static int devices_as_json() {
  ordered_json list = ordered_json::array();
  const auto absent = [&](const std::string& id, const Error& e) {
    list.push_back({{"id", id}, {"available", false}, {"description", ""}, {"reason", e.reason}, {"remedy", e.remedy}});
  };
  for (const std::string& id : device_ids()) {
    const auto device = make_device(id);
    if (!device) {
      absent(id, device.error());
      continue;
    }
    const std::string description = (*device)->description();
    list.push_back({{"id", id}, {"available", true}, {"description", description}, {"reason", ""}, {"remedy", ""}});
  }
  for (const auto& [kind, why] : absent_devices()) absent(kind, why);
  print_json(list);
  return kDone;
}

static int devices() {
  for (const std::string& id : device_ids()) {
    const auto device = make_device(id);
    if (!device) {
      std::printf("%-8s cannot be used: %s %s\n", id.c_str(), device.error().reason.c_str(),
                  device.error().remedy.c_str());
      continue;
    }
    std::printf("%-8s %s\n", id.c_str(), (*device)->description().c_str());
    if (const auto memory = (*device)->memory(id, nullptr))
      std::printf("%-8s %s of memory, %s free\n", "", memory_text(memory->total).c_str(),
                  memory_text(memory->free).c_str());
    std::string products;  // where they are computed in the dtype itself
    for (const DTypeInfo& row : dtype_table()) {
      const auto product = product_info(**device, row.dtype);
      if (product && row.storable && product->compute == row.dtype) products += " " + std::string(row.name);
    }
    std::printf("%-8s products in%s; see dtypes\n", "", products.c_str());
  }
  for (const auto& [kind, why] : absent_devices())
    std::printf("%-8s none: %s %s\n", kind.c_str(), why.reason.c_str(), why.remedy.c_str());
  return kDone;
}

void add(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("devices", "List the devices of this machine");
  auto json = std::make_shared<bool>(false);
  add_json(*command, *json);
  command->callback([=, &chosen] { chosen = [=] { return *json ? devices_as_json() : devices(); }; });
}

}  // namespace hw::cli::devices_command
