// import-mesh: the child process in which untrusted models are read. Not for users: engine/io/mesh/model.h starts it.
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "app/cli/commands/commands.h"
#include "engine/io/mesh/model_import.h"

namespace hw::cli::import_mesh_command {

void add(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("import-mesh", "")->group("");  // hidden
  auto file = std::make_shared<std::string>();
  auto roots = std::make_shared<std::vector<std::string>>();
  command->add_option("file", *file)->required();
  command->add_option("reach", *roots);  // files and folders that it may refer to
  command->callback([file, roots, &chosen] {
    // No destructors: what the reader leaves behind may be broken.
    chosen = [file, roots]() -> int {
      Reach reach;
      for (const std::string& root : *roots) reach.allow(root);
      ::_exit(import_model_as_child(*file, reach));
    };
  });
}

}  // namespace hw::cli::import_mesh_command
