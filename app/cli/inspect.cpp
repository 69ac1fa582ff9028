// inspect: the tensors, gradients and parameters of one node at a step, all as its passes had them.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "app/cli/commands.h"
#include "app/cli/device_choice.h"
#include "app/cli/draws.h"
#include "app/cli/report.h"
#include "app/cli/tensor_text.h"
#include "app/cli/training.h"
#include "app/cli/weights_choice.h"
#include "engine/io/npy.h"
#include "engine/plan/train_settings.h"

namespace hw::cli {
namespace {

namespace fs = std::filesystem;

struct Options : GraphOptions {
  std::vector<std::string> nodes;
  std::string device = "cpu", npy;
  WeightsChoice weights;
  uint64_t steps = 1;
  int64_t seed = -1;
  bool grad = false;
};

Status save(const Options& o, const std::string& name, const Tensor& tensor) {
  if (o.npy.empty()) return ok();
  const fs::path file = fs::path(o.npy) / (name + ".npy");
  HW_CHECK(save_npy(tensor, file));
  std::printf("  %s\n", file.c_str());
  return ok();
}

/// The kernels of a node, chosen by work, and where it has several layers those of each.
void print_kernels(const NodeKernels& kernels) {
  const auto line = [](const std::string& what, const KernelInfo& kernel) {
    if (!kernel.implementation.empty()) std::printf("  %s: %s\n", what.c_str(), text_of(kernel).c_str());
  };
  line("forward", kernels.forward);
  if (kernels.backward) line("backward", *kernels.backward);
  for (const NodeKernels::Layer& layer : kernels.layers) {
    line(layer.param + ", forward", layer.forward);
    if (layer.backward) line(layer.param + ", backward", *layer.backward);
  }
}

Status print(const Options& o, const NodeInspection& inspection, const std::string& draws) {
  std::printf("%s at step %llu, before its update\n", inspection.node.c_str(),
              static_cast<unsigned long long>(inspection.step) + 1);
  print_kernels(inspection.kernels);
  if (!draws.empty()) std::printf("draws from %s\n", draws.c_str());
  for (const NodeInspection::Item& item : inspection.items) {
    const std::string full = inspection.node + "." + item.name;
    std::printf("%s%s\n", full.c_str(), item.is_param ? " (parameter)" : "");
    if (item.value.empty()) {
      std::printf("  not available\n");
    } else {
      std::printf("%s%s", describe(item.value, "  ").c_str(), describe_components(item.value, "  ").c_str());
      HW_CHECK(save(o, full, item.value));
    }
    if (!o.grad) continue;
    if (item.gradient.empty()) {
      std::printf("  no gradient: %s\n", item.no_gradient_because.c_str());
      continue;
    }
    std::printf("  gradient, stored times %.10g\n%s%s", item.gradient_scale, describe(item.gradient, "    ").c_str(),
                describe_components(item.gradient, "    ").c_str());
    HW_CHECK(save(o, full + ".grad", item.gradient));
  }
  return ok();
}

/// Trains up to the step and prints the node.
Result<int> inspect_node(const Options& o, const TrainableGraph& loaded, const std::string& node,
                         const std::shared_ptr<const Weights>& weights) {
  TrainingRequest request{loaded.graph, loaded.assets, o.device, o.steps, node, weights, {}, 0, {}, false};
  const TrainingResult result = train_to_end(std::move(request));
  if (result.last->error) return *result.last->error;
  const auto& inspection = result.last->inspection;
  if (!inspection || inspection->items.empty())
    return Error{codes::unsupported, node, "nothing of this node runs when the graph is trained.",
                 "Inspect a node that the loss depends on."};
  const auto seed = train_settings(*loaded.graph.find(loaded.trainer)).seed;
  HW_CHECK(print(o, *inspection, draw_text_of_node(loaded.graph, node, seed, inspection->step)));
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
  for (const std::string& node : o.nodes) {
    const auto exit = inspect_node(o, *loaded, node, *weights);
    if (!exit) return report(exit.error());
    if (*exit != kDone) return *exit;
  }
  return kDone;
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
  command->callback([o, &chosen] { chosen = [o] { return inspect(*o); }; });
}

}  // namespace hw::cli
