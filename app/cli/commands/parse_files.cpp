// parse-files: the child process in which untrusted pictures and sounds are read. Not for users:
// engine/io/media/parser_child.h starts it.
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "app/cli/commands/commands.h"
#include "engine/io/child/child_process.h"
#include "engine/io/media/parser_child.h"

namespace hw::cli::parse_files_command {

void add(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("parse-files", "")->group("");  // hidden
  // No destructors: what a reader leaves behind may be broken.
  command->callback([&chosen] { chosen = []() -> int { ::_exit(serve_parsers(child::kFd, own_parsers())); }; });
}

}  // namespace hw::cli::parse_files_command
