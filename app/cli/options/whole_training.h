// Options of the checks that run a graph's whole training.
#pragma once

#include <CLI/CLI.hpp>

#include "app/cli/print/print_notes.h"
#include "app/workspace/whole_training.h"

namespace hw::cli {

/// GRAPH, --steps, --samples, --whole, --seed, --weights and --set, with the defaults that `request` holds.
void add_options(CLI::App& command, WholeTrainingRequest& request, const std::string& samples);

}  // namespace hw::cli
