#include "app/cli/options/device_choice.h"

#include "app/cli/options/graph_input.h"
#include "engine/program/device_id.h"

namespace hw::cli {

CLI::Option* add_device(CLI::App& command, std::string& device, const std::string& help, const std::string& name) {
  return command.add_option(name, device, help)->capture_default_str()->transform([](const std::string& written) {
    return canonical_device_id(written);
  });
}

Result<std::shared_ptr<Device>> choose_device(const std::string& id) {
  return workspace::choose_device(id, option_names());
}

}  // namespace hw::cli
