// The commands of halfwire-cli, one file each. Each adds itself to the parser; `chosen` becomes what is to run.
#pragma once

#include <array>
#include <functional>

namespace CLI {
class App;
}

namespace hw::cli {

/// Runs a command and gives the process's exit code.
using Action = std::function<int()>;

/// Adds a command to the parser.
using AddCommand = void(CLI::App& app, Action& chosen);

AddCommand add_nodes;
AddCommand add_blocks;
AddCommand add_devices;
AddCommand add_gradcheck;
AddCommand add_jacobian;
AddCommand add_matrix;
AddCommand add_dtypes;
AddCommand add_validate;
AddCommand add_diff;
AddCommand add_train;
AddCommand add_compare_runs;
AddCommand add_what_if;
AddCommand add_plan_precision;
AddCommand add_run;
AddCommand add_generate;
AddCommand add_bench;
AddCommand add_inspect;
AddCommand add_xray;
AddCommand add_first_bad;
AddCommand add_parity;
AddCommand add_determinism;
AddCommand add_bake;
AddCommand add_render;
AddCommand add_summary;
AddCommand add_rewrite;
AddCommand add_mesh_info;
AddCommand add_map_weights;
AddCommand add_onnx_test;
AddCommand add_import;
AddCommand add_export;
AddCommand add_import_mesh;
AddCommand add_parse_files;
AddCommand add_parse_onnx;

/// In the order of the help.
inline constexpr std::array kCommands{
    &add_nodes,          &add_blocks,      &add_devices,     &add_gradcheck, &add_jacobian,     &add_matrix,
    &add_dtypes,         &add_validate,    &add_diff,        &add_train,     &add_compare_runs, &add_what_if,
    &add_plan_precision, &add_run,         &add_generate,    &add_bench,     &add_inspect,      &add_xray,
    &add_first_bad,      &add_parity,      &add_determinism, &add_bake,      &add_render,       &add_mesh_info,
    &add_summary,        &add_rewrite,     &add_import,      &add_export,    &add_onnx_test,    &add_map_weights,
    &add_import_mesh,    &add_parse_files, &add_parse_onnx,
};

}  // namespace hw::cli
