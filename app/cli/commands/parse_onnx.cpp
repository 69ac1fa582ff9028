// parse-onnx: the child process in which untrusted models of ONNX are parsed. Not for users:
// app/interop/onnx/model.h starts it.
#include "app/interop/onnx/parse_onnx.h"

#include <unistd.h>

#include <CLI/CLI.hpp>

#include "app/cli/commands/commands.h"

namespace hw::cli::parse_onnx_command {

void add(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("parse-onnx", "")->group("");  // hidden
  auto file = std::make_shared<std::string>();
  command->add_option("file", *file)->required();
  // No destructors: what the parser leaves behind may be broken.
  command->callback([file, &chosen] { chosen = [file]() -> int { ::_exit(interop::parse_onnx_as_child(*file)); }; });
}

}  // namespace hw::cli::parse_onnx_command
