// The commands of halfwire-cli, one file and one namespace each. Each adds itself to the parser; `chosen` becomes what
// is to run.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace hw::cli {

/// Runs a command and gives the process's exit code.
using Action = std::function<int()>;

/// Adds a command to the parser.
using AddCommand = void(CLI::App& app, Action& chosen);

#define HW_COMMAND(name)     \
  namespace name##_command { \
    AddCommand add;          \
  }
#include "app/cli/commands/commands.def"

/// In the order of the help.
inline constexpr AddCommand* kCommands[] = {
#define HW_COMMAND(name) &name##_command::add,
#include "app/cli/commands/commands.def"
};

}  // namespace hw::cli
