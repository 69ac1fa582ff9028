// The commands of halfwire-cli, one file each. Each adds itself to the parser; `chosen` becomes what is to run.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace hw::cli {

/// Runs a command and gives the process's exit code.
using Action = std::function<int()>;

void add_nodes(CLI::App& app, Action& chosen);
void add_devices(CLI::App& app, Action& chosen);
void add_gradcheck(CLI::App& app, Action& chosen);
void add_jacobian(CLI::App& app, Action& chosen);
void add_matrix(CLI::App& app, Action& chosen);
void add_dtypes(CLI::App& app, Action& chosen);
void add_validate(CLI::App& app, Action& chosen);
void add_train(CLI::App& app, Action& chosen);
void add_compare_runs(CLI::App& app, Action& chosen);
void add_what_if(CLI::App& app, Action& chosen);
void add_plan_precision(CLI::App& app, Action& chosen);
void add_run(CLI::App& app, Action& chosen);
void add_inspect(CLI::App& app, Action& chosen);
void add_xray(CLI::App& app, Action& chosen);
void add_parity(CLI::App& app, Action& chosen);
void add_determinism(CLI::App& app, Action& chosen);
void add_bake(CLI::App& app, Action& chosen);
void add_render(CLI::App& app, Action& chosen);
void add_mesh_info(CLI::App& app, Action& chosen);
void add_import_mesh(CLI::App& app, Action& chosen);

}  // namespace hw::cli
