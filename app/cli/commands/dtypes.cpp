// dtypes: the number formats, and what this machine computes their products in.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/commands/commands.h"
#include "app/cli/print/json_output.h"
#include "app/cli/print/report.h"
#include "engine/backend/product_info.h"
#include "engine/core/dtype_card.h"
#include "engine/devices/devices.h"

namespace hw::cli::dtypes_command {
namespace {

using nlohmann::ordered_json;

std::string text(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.5g", value);
  return buffer;
}

ordered_json row_json(const DTypeInfo& row, const Result<KernelInfo>& product) {
  ordered_json j{{"dtype", row.name},
                 {"bits", bits_of(row)},
                 {"bytes", byte_count(row.dtype, 1)},
                 {"storable", row.storable},
                 {"max", row.max}};
  if (row.is_float) {
    j["exponent_bits"] = row.exponent_bits;
    j["mantissa_bits"] = row.mantissa_bits;
    j["epsilon"] = epsilon_of(row);
    j["min_normal"] = row.min_normal;
    j["min_subnormal"] = row.min_subnormal;
    j["inf"] = row.has_inf;
    j["nan"] = row.has_nan;
  }
  if (product)
    j["product"] = {{"compute", name(product->compute)},
                    {"accumulate", name(product->accumulate)},
                    {"implementation", product->implementation}};
  return j;
}

int dtypes(bool json) {
  const auto device = make_device("cpu");
  if (!device) return report(device.error());
  ordered_json list = ordered_json::array();
  if (!json)
    std::printf("%-7s %4s %12s %11s %13s %15s  %-8s %s\n", "dtype", "bits", "max", "epsilon", "min normal",
                "min subnormal", "special", "products on this machine: compute, sums, kernel");
  for (const DTypeInfo& row : dtype_table()) {
    const auto product = product_info(**device, row.dtype);
    if (json) {
      list.push_back(row_json(row, product));
      continue;
    }
    const std::string kernel = product ? std::string(name(product->compute)) + ", " +
                                             std::string(name(product->accumulate)) + ", " + product->implementation
                                       : "-";
    const auto real = [&](double value) { return row.is_float ? text(value) : std::string("-"); };
    std::printf("%-7s %4d %12s %11s %13s %15s  %-8s %s\n", row.name.data(), bits_of(row), text(row.max).c_str(),
                real(epsilon_of(row)).c_str(), real(row.min_normal).c_str(), real(row.min_subnormal).c_str(),
                specials_of(row).data(), kernel.c_str());
  }
  if (json) print_json(list);
  return kDone;
}

}  // namespace

void add(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("dtypes", "List the number formats and how this machine multiplies them");
  auto json = std::make_shared<bool>(false);
  add_json(*command, *json);
  command->callback([=, &chosen] { chosen = [=] { return dtypes(*json); }; });
}

}  // namespace hw::cli::dtypes_command
