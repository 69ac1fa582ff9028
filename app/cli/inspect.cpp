// inspect: the tensors, gradients and parameters of one node at a step, all as its passes had them.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/device_choice.h"
#include "app/cli/inspection_report.h"
#include "app/cli/json_output.h"
#include "app/cli/report.h"
#include "app/cli/training.h"
#include "app/cli/weights_choice.h"
#include "engine/io/npy.h"
#include "engine/plan/train_settings.h"

namespace hw::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

struct Options : GraphOptions {
  std::vector<std::string> nodes;
  std::string device = "cpu", npy;
  WeightsChoice weights;
  uint64_t steps = 1;
  int64_t seed = -1;
  bool grad = false, json = false;
};

/// All tensors of an inspection, as .npy files, by NODE.NAME and NODE.NAME.grad. Nothing where none are asked for.
Result<std::map<std::string, std::string>> save(const Options& o, const NodeInspection& inspection) {
  std::map<std::string, std::string> files;
  const auto save_one = [&](const std::string& name, const Tensor& tensor) -> Status {
    if (tensor.empty()) return ok();
    files[name] = (fs::path(o.npy) / (name + ".npy")).string();
    return save_npy(tensor, files[name]);
  };
  if (o.npy.empty()) return files;
  for (const NodeInspection::Item& item : inspection.items) {
    const std::string full = inspection.node + "." + item.name;
    HW_CHECK(save_one(full, item.value));
    if (o.grad) HW_CHECK(save_one(full + ".grad", item.gradient));
  }
  return files;
}

/// Trains up to the step; prints the node, or adds it to `all`.
Result<int> inspect_node(const Options& o, const TrainableGraph& loaded, const std::string& node,
                         const std::shared_ptr<const Weights>& weights, ordered_json& all) {
  TrainingRequest request{loaded.graph, loaded.assets, o.device, o.steps, node, weights, {}, 0, {}, false};
  const TrainingResult result = train_to_end(std::move(request));
  if (result.last->error) return *result.last->error;
  const auto& inspection = result.last->inspection;
  if (!inspection || inspection->items.empty())
    return Error{codes::unsupported, node, "nothing of this node runs when the graph is trained.",
                 "Inspect a node that the loss depends on."};
  const auto seed = train_settings(*loaded.graph.find(loaded.trainer)).seed;
  HW_TRY(auto files, save(o, *inspection));
  const InspectionReport found{*inspection, loaded.graph, seed, o.grad, std::move(files)};
  if (o.json)
    all.push_back(to_json(found));
  else
    print(found);
  return result.exit();
}

int inspect(const Options& o) {
  auto loaded = load_trainable(o, {.device = o.device, .seed = o.seed, .checks = true});
  if (!loaded) return report(loaded.error());
  for (const std::string& node : o.nodes)
    if (!loaded->graph.find(node))
      return report(Error{codes::unknown_node, "--node " + node, "the graph has no such node.", "See validate."});
  if (!o.npy.empty()) {
    std::error_code ec;
    fs::create_directories(o.npy, ec);
    if (ec) return report(Error{codes::file_unwritable, o.npy, ec.message() + ".", "Name another folder."});
  }
  // What is trained begins with initial weights; what is not has those beside it.
  const auto weights =
      loaded->stands_in ? load_weights_beside(*loaded, o.weights) : load_weights(o.weights, loaded->graph);
  if (!weights) return report(weights.error());
  ordered_json all = ordered_json::array();
  int exit = kDone;
  for (const std::string& node : o.nodes) {
    const auto ended = inspect_node(o, *loaded, node, *weights, all);
    if (!ended) return report(ended.error());
    exit = *ended;
    if (exit != kDone) break;  // stopped: this node is the last
  }
  if (o.json) print_json({{"graph", o.graph}, {"device", o.device}, {"nodes", all}});
  return exit;
}

}  // namespace

void add_inspect(CLI::App& app, Action& chosen) {
  CLI::App* command =
      app.add_subcommand("inspect", "Look at a node's tensors and gradients at a step, before its update");
  auto o = std::make_shared<Options>();
  add_graph_options(*command, *o);
  command->add_option("--node", o->nodes, "Its id; may be repeated: each is a run of its own, the same bits")
      ->required()
      ->allow_extra_args(false);
  command->add_option("--seed", o->seed, "Instead of the Train node's")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 53));
  command->add_option("--steps", o->steps, "The step to look at, from 1; those before it are trained")
      ->capture_default_str()
      ->check(CLI::Range(uint64_t{1}, uint64_t{1'000'000'000}));
  command->add_flag("--grad", o->grad, "Gradients too");
  command->add_option("--npy", o->npy, "Folder to write NODE.NAME.npy and NODE.NAME.grad.npy to");
  add_weights(*command, o->weights,
              "Begin with these weights (.safetensors). Without a Train node: by default those beside the graph");
  add_device(*command, o->device);
  add_json(*command, o->json, "Kernels and statistics of tensors as JSON on stdout");
  command->callback([o, &chosen] { chosen = [o] { return inspect(*o); }; });
}

}  // namespace hw::cli
