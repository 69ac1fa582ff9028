// first-bad: the first op that makes an Inf or NaN, in a training or, without a Train node, in one pass.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/bad_value_json.h"
#include "app/cli/commands.h"
#include "app/cli/device_choice.h"
#include "app/cli/given_inputs.h"
#include "app/cli/json_output.h"
#include "app/cli/report.h"
#include "app/cli/training.h"
#include "app/cli/weights_choice.h"

namespace hw::cli {
namespace {

using nlohmann::ordered_json;

struct Options : GraphOptions {
  std::vector<std::string> inputs;
  std::string device = "cpu";
  WeightsChoice weights;
  uint64_t steps = 0;
  int64_t seed = -1;
  bool json = false;
};

int first_bad(const Options& o) {
  TrainingRequest request;
  const auto loaded = load_trainable(o, {.device = o.device, .seed = o.seed, .checks = true}, o.inputs, request.given);
  if (!loaded) return report(loaded.error());
  const auto weights =
      loaded->stands_in ? load_weights_beside(*loaded, o.weights) : load_weights(o.weights, loaded->graph);
  if (!weights) return report(weights.error());
  request.graph = loaded->graph;
  request.assets = loaded->assets;
  request.device = o.device;
  request.steps = o.steps ? o.steps : loaded->stands_in ? 1 : 0;
  request.weights = *weights;
  request.halt_on_nonfinite = true;
  const TrainingResult result = train_to_end(std::move(request));
  const RunSnapshot& s = *result.last;
  if (s.error && !s.bad_value) return report(*s.error);
  if (o.json) {
    print_json({{"graph", o.graph},
                {"device", o.device},
                {"steps", s.step},
                {"stopped", result.interrupted},
                {"first_bad_value", s.bad_value ? to_json(*s.bad_value) : ordered_json()}});
  } else if (s.bad_value) {
    std::printf("%s", to_string(*s.bad_value).c_str());
  } else {
    std::printf("%sno Inf or NaN in %llu step%s\n", result.interrupted ? "stopped: " : "",
                static_cast<unsigned long long>(s.step), s.step == 1 ? "" : "s");
  }
  return s.error ? report(*s.error) : result.exit();
}

}  // namespace

void add_first_bad(CLI::App& app, Action& chosen) {
  CLI::App* command =
      app.add_subcommand("first-bad", "Find the first op that makes an Inf or NaN; exit 1 where one does");
  auto o = std::make_shared<Options>();
  add_graph_options(*command, *o);
  add_inputs(*command, o->inputs);
  command->add_option("--steps", o->steps, "Training steps at most; default: the Train node's, without one 1")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1'000'000'000}));
  command->add_option("--seed", o->seed, "Instead of the Train node's")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 53));
  add_weights(*command, o->weights,
              "Begin with these weights (.safetensors). Without a Train node: by default those beside the graph");
  add_device(*command, o->device);
  add_json(*command, o->json, "As JSON; Inf and NaN are text");
  command->callback([o, &chosen] { chosen = [o] { return first_bad(*o); }; });
}

}  // namespace hw::cli
