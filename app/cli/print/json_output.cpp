#include "app/cli/print/json_output.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace hw::cli {

using nlohmann::ordered_json;

CLI::Option* add_json(CLI::App& command, bool& json, const std::string& help) {
  return command.add_flag("--json", json, help);
}

namespace {

bool printed = false;

}  // namespace

bool has_printed_json() {
  return printed;
}

void print_json(const ordered_json& value) {
  printed = true;
  std::printf("%s\n", value.dump(2, ' ', false, ordered_json::error_handler_t::replace).c_str());
}

}  // namespace hw::cli
