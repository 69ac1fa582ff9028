// --weights and --partial-weights: which file a command takes parameters from, and how strictly.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>

#include "app/cli/graph_input.h"

namespace hw::cli {

struct WeightsChoice {
  std::string file;      // as given; may be ""
  bool partial = false;  // what fits is taken, and the rest is listed; else all or nothing
};

/// Both options; returns --weights.
CLI::Option* add_weights(CLI::App& command, WeightsChoice& choice, const std::string& help);
/// The help of commands that look beside the graph, too.
inline constexpr char kWeightsBesideHelp[] = "Default: GRAPH.safetensors beside the graph, else initial weights";

/// From choice.file, as the graph's parameters take them; null when none is given. What is converted or not taken is
/// noted on stderr. Errors HW-F001, HW-F003; HW-F005, HW-D003: what is missing, superfluous, of other sizes or dtypes.
Result<std::shared_ptr<const Weights>> load_weights(const WeightsChoice& choice, const Graph& graph);
/// `file` when it is given, else the graph's name with .safetensors when that exists, else nothing. Error HW-A006: that
/// is a link to where the graph may not read.
Result<std::string> weights_beside(const LoadedGraph& loaded, const std::string& file);
/// From the file of weights_beside; null when there is none.
Result<std::shared_ptr<const Weights>> load_weights_beside(const LoadedGraph& loaded, const WeightsChoice& choice);

}  // namespace hw::cli
