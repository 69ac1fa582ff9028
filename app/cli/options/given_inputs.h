// --input NODE.SOCKET=FILE.npy, --input FILE.npz.
#pragma once

#include "app/cli/options/graph_input.h"
#include "app/workspace/inputs.h"

namespace hw::cli {

/// --input: see read_given.
CLI::Option* add_inputs(CLI::App& command, std::vector<std::string>& inputs);

}  // namespace hw::cli
