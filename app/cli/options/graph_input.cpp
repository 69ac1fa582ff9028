#include "app/cli/options/graph_input.h"

#include <CLI/CLI.hpp>

namespace hw::cli {

const OptionNames& option_names() {
  static const OptionNames kNames{.set = "--set",
                                  .pin = "--pin",
                                  .allow = "--allow-path",
                                  .device = "--device",
                                  .input = "--input",
                                  .output = "--output",
                                  .node = "--node",
                                  .weights = "--weights",
                                  .convert = "--convert-dtype"};
  return kNames;
}

CLI::Option* add_sets(CLI::App& command, std::vector<std::string>& sets) {
  return command.add_option("--set", sets, "NODE.PARAM=VALUE; may be repeated")->allow_extra_args(false);
}

CLI::Option* add_allowed(CLI::App& command, std::vector<std::string>& allowed) {
  return command
      .add_option("--allow-path", allowed,
                  "A folder, or a file, that the graph may read besides its own folder and the asset folders; may be "
                  "repeated")
      ->allow_extra_args(false);
}

CLI::Option* add_pins(CLI::App& command, std::vector<std::string>& pins) {
  return command.add_option("--pin", pins, "NODE=DEVICE: this node runs there; may be repeated")
      ->allow_extra_args(false);
}

void add_graph_options(CLI::App& command, GraphRequest& o) {
  command.add_option("graph", o.graph, "A .halfwire file")->required();
  o.option_names = option_names();
  add_sets(command, o.sets);
  add_allowed(command, o.allowed);
}

bool report_blocking(const Graph& graph, const Graph& document, const std::string& node, Pins pins) {
  return !noted(check_blocking, graph, document, node, pins);
}

bool report_blocking_instances(const OpenGraph& loaded) {
  return !noted(check_group_instances, loaded);
}

}  // namespace hw::cli
