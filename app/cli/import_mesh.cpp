// import-mesh: the child process in which models from strangers are read. Not for people: engine/io/model.h starts it.
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "app/cli/commands.h"
#include "engine/io/model.h"

namespace hw::cli {

void add_import_mesh(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("import-mesh", "")->group("");  // hidden
  auto file = std::make_shared<std::string>();
  command->add_option("file", *file)->required();
  command->callback([file, &chosen] {
    // No destructors: what the reader leaves behind may be broken.
    chosen = [file]() -> int { ::_exit(import_model_as_child(*file, 3)); };
  });
}

}  // namespace hw::cli
