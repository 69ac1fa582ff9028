#include "app/cli/options/pass_options.h"

namespace hw::cli {

CLI::Option* add_no_pass(CLI::App& command, PassesOff& off) {
  std::string passes;
  for (const ProgramPass& pass : program_passes())
    passes += "\n" + std::string(pass.name) + ": " + std::string(pass.summary);
  return command.add_option("--no-pass", off, "Leave out a pass that rewrites the program; may be repeated:" + passes)
      ->allow_extra_args(false);
}

}  // namespace hw::cli
