// jacobian: how a node's outputs change with its inputs, for one sample.
#include "engine/gradient/jacobian.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/commands/commands.h"
#include "app/cli/options/device_choice.h"
#include "app/cli/options/graph_input.h"
#include "app/cli/options/weights_choice.h"
#include "app/cli/print/json_output.h"
#include "app/cli/print/report.h"
#include "app/cli/print/stop_signal.h"
#include "engine/graph/near_nodes.h"

namespace hw::cli::jacobian_command {
namespace {

using nlohmann::ordered_json;

struct Options : GraphRequest {
  std::string node;
  WeightsChoice weights;
  JacobianOptions how;
  bool json = false;
};

ordered_json to_json(const Jacobian& j) {
  ordered_json out{{"node", j.node}, {"sample", j.sample}, {"samples", j.samples}};
  for (const Jacobian::Input& input : j.inputs)
    out["inputs"].push_back({{"socket", input.socket}, {"dims", input.dims}, {"values", input.values}});
  for (const JacobianBlock& block : j.blocks)
    out["blocks"].push_back({{"output", block.output},
                             {"input", block.input},
                             {"rows", block.rows},
                             {"columns", block.columns},
                             {"values", block.values}});
  return out;
}

void print(const Jacobian& j) {
  std::printf("Jacobian of %s at sample %lld of %lld\n", j.node.c_str(), static_cast<long long>(j.sample),
              static_cast<long long>(j.samples));
  for (const Jacobian::Input& input : j.inputs)
    for (size_t k = 0; k < input.values.size(); ++k)
      std::printf("  %s = %.7g\n", component_name(input.socket, input.dims, static_cast<int64_t>(k)).c_str(),
                  input.values[k]);
  for (const JacobianBlock& block : j.blocks) {
    const int64_t rows = element_count(block.rows), columns = element_count(block.columns);
    std::printf("\n%-10s", ("d" + block.output + "/d" + block.input).c_str());
    for (int64_t c = 0; c < columns; ++c) std::printf(" %12s", component_name(block.input, block.columns, c).c_str());
    std::printf("\n");
    for (int64_t r = 0; r < rows; ++r) {
      std::printf("%-10s", component_name(block.output, block.rows, r).c_str());
      for (int64_t c = 0; c < columns; ++c) std::printf(" %12.6g", block.values[static_cast<size_t>(r * columns + c)]);
      std::printf("\n");
    }
  }
}

int jacobian_of(const Options& o) {
  auto loaded = noted(open_graph, o);
  if (!loaded) return report(loaded.error());
  if (!loaded->graph.find(o.node)) return report(no_such_node(loaded->graph, "--node " + o.node, o.node));
  if (report_blocking(loaded->graph, loaded->document, o.node, Pins::ignored)) return kGraphErrors;
  if (const auto device = choose_device(o.how.device); !device) return report(device.error());
  JacobianOptions how = o.how;
  auto weights = noted(load_weights_beside, *loaded, o.weights);
  if (!weights) return report(weights.error());
  how.weights = *weights;
  how.partial_weights = o.weights.partial;
  const StopOnSignal stop;
  how.cancel = &StopOnSignal::asked();
  auto result = jacobian(loaded->graph, o.node, *loaded->assets, how);
  if (!result) {
    Error error = result.error();
    if (error.where == kSampleOption) error.where = "--sample";
    return report(error);
  }
  if (o.json)
    print_json(to_json(*result));
  else
    print(*result);
  return kDone;
}

}  // namespace

void add(CLI::App& app, Action& chosen) {
  CLI::App* command =
      app.add_subcommand("jacobian", "Show how a node's outputs change with its inputs, for one sample");
  auto o = std::make_shared<Options>();
  add_graph_options(*command, *o);
  command->add_option("--node", o->node, "Its id")->required();
  command->add_option("--sample", o->how.sample, "Which sample of the batch, from 0")->capture_default_str();
  command->add_option("--seed", o->how.seed, "Random draws and initial weights")
      ->capture_default_str()
      ->check(CLI::Range(uint64_t{0}, uint64_t{1} << 53));
  add_weights(*command, o->weights, kWeightsBesideHelp);
  add_device(*command, o->how.device);
  add_json(*command, o->json);
  command->callback([o, &chosen] { chosen = [o] { return jacobian_of(*o); }; });
}

}  // namespace hw::cli::jacobian_command
