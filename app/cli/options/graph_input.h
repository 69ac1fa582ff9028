// GRAPH, --set, --pin, --allow-path: what most commands begin with.
#pragma once

#include "app/cli/print/print_notes.h"
#include "app/workspace/open_graph.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace hw::cli {

/// Those of the command line, for GraphRequest: add_graph_options enters them.
const OptionNames& option_names();
/// GRAPH, --set and --allow-path. --pin is for commands that run nodes where they are pinned: add_pins.
void add_graph_options(CLI::App& command, GraphRequest& o);
CLI::Option* add_sets(CLI::App& command, std::vector<std::string>& sets);
CLI::Option* add_allowed(CLI::App& command, std::vector<std::string>& allowed);
CLI::Option* add_pins(CLI::App& command, std::vector<std::string>& pins);

/// check_blocking, whose diagnostics are printed on stderr. True: there were some.
bool report_blocking(const Graph& graph, const Graph& document, const std::string& node, Pins pins = Pins::count);
/// The same by check_group_instances.
bool report_blocking_instances(const OpenGraph& loaded);

}  // namespace hw::cli
