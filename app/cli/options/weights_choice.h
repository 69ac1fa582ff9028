// --weights, --partial-weights, --map and --convert-dtype: which file a command takes parameters from, which tensor is
// which parameter, and how strictly.
#pragma once

#include <CLI/CLI.hpp>

#include "app/cli/print/print_notes.h"
#include "app/workspace/weights.h"

namespace hw::cli {

/// `map`: of commands that have a --map of something else, "--map-weights".
void add_mapping(CLI::App& command, WeightsChoice& choice, const std::string& map = "--map");
/// All options; returns --weights.
CLI::Option* add_weights(CLI::App& command, WeightsChoice& choice, const std::string& help,
                         const std::string& map = "--map");
/// The help of commands that look beside the graph, too.
inline constexpr char kWeightsBesideHelp[] =
    "Default: GRAPH.safetensors beside the graph, else initial weights; none: initial weights";

}  // namespace hw::cli
