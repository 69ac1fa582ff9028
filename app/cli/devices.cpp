// devices: where graphs can run on this machine.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "app/cli/commands.h"
#include "app/cli/report.h"
#include "engine/backend/cuda/gpus.h"
#include "engine/backend/product_info.h"
#include "engine/run/memory_estimate.h"

namespace hw::cli {

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
  const auto gpus = cuda::gpus();
  if (!gpus) std::printf("%-8s none: %s %s\n", "cuda", gpus.error().reason.c_str(), gpus.error().remedy.c_str());
  return kDone;
}

void add_devices(CLI::App& app, Action& chosen) {
  app.add_subcommand("devices", "List the devices of this machine")->callback([&chosen] { chosen = devices; });
}

}  // namespace hw::cli
