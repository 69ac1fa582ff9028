#include "app/cli/options/given_inputs.h"

#include <CLI/CLI.hpp>

namespace hw::cli {

CLI::Option* add_inputs(CLI::App& command, std::vector<std::string>& inputs) {
  return command
      .add_option("--input", inputs,
                  "NODE.SOCKET=FILE.npy: the value of this wire, or of an Input; or a FILE.npz with such names; may be "
                  "repeated")
      ->allow_extra_args(false);
}

}  // namespace hw::cli
