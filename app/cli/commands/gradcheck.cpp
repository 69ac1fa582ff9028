// gradcheck: the adjoints of a graph, or of nodes' examples, against central differences.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/checks.h"
#include "app/cli/commands/commands.h"
#include "app/cli/options/device_choice.h"
#include "app/cli/options/graph_input.h"
#include "app/cli/options/weights_choice.h"
#include "app/cli/print/gradcheck_report.h"
#include "app/cli/print/json_output.h"
#include "app/cli/print/progress_line.h"
#include "app/cli/print/report.h"
#include "app/cli/print/stop_signal.h"
#include "engine/gradient/grad_device.h"
#include "engine/graph/near_nodes.h"
#include "engine/plan/train_settings.h"

namespace hw::cli::gradcheck_command {
namespace {

using nlohmann::ordered_json;

constexpr size_t kExampleElements = 256;  // of an example's block, checked one by one: examples are small

struct Options : GraphRequest {
  std::string device;  // empty: what fits
  WeightsChoice weights;
  std::vector<std::string> nodes, types;
  int64_t samples = 0;  // 0: as the graph declares
  uint64_t step = 0;
  bool of_types = false, whole = false, json = false;
};

/// What a check that passed leaves open: ", 2 always zero, 1 too small to tell".
std::string caveats(const GradReport& report) {
  std::string text;
  if (const size_t dead = report.count(GradVerdict::dead)) text += ", " + std::to_string(dead) + " always zero (dead)";
  if (const size_t unclear = report.count(GradVerdict::unclear))
    text += ", " + std::to_string(unclear) + " unclear (too small to tell, or not finite beside the point)";
  if (const size_t held = report.count_held())
    text += ", " + std::to_string(held) + " with a way to the loss that hands no gradient back and is held fixed";
  return text;
}

std::string device_for(const Program& program) {
  const GradDevice device = grad_device(program);
  std::fprintf(stderr, "note: it runs on %s. %s --device names another.\n", device.id.c_str(), device.why.c_str());
  return device.id;
}

int check_graph(const Options& o) {
  auto loaded = noted(open_trainable, o, TrainableOptions{.pins = Pins::ignored, .checks = true});
  if (!loaded) return report(loaded.error());
  const Graph& graph = loaded->graph;
  for (const std::string& node : o.nodes) {
    if (!graph.find(node)) return report(no_such_node(graph, "--node " + node, node));
  }
  GradCheckOptions options;
  options.step = o.step;
  auto weights = noted(load_weights_beside, *loaded, o.weights);
  if (!weights) return report(weights.error());
  options.weights = *weights;
  options.partial_weights = o.weights.partial;
  const auto samples = o.samples > 0 ? Result<int64_t>(o.samples) : declared_samples(graph);
  if (!samples) return report(samples.error());
  const ReducedGraph reduced = reduce_graph(graph, *samples, !options.weights && !o.whole);
  auto subject = grad_subject(reduced.graph, *loaded->assets);
  if (!subject) return report(subject.error());
  options.device = o.device.empty() ? device_for(*subject->program) : o.device;
  const StopOnSignal stop;
  options.cancel = &StopOnSignal::asked();
  options.partial = true;
  Result<GradReport> result = Error{};
  {
    ProgressLine line;
    options.progress = [&](double share, const std::string& what) { line.show(share, what); };
    result = o.nodes.empty() ? check_gradients(*subject, options)
                             : check_gradients_of(*subject, {o.nodes.begin(), o.nodes.end()}, options);
  }
  if (!result) return report(result.error());
  if (o.json) {
    ordered_json j = to_json(*result);
    j["device"] = options.device;
    j["reduced"] = to_json(reduced.reductions);
    j["stopped"] = result->stopped;
    print_json(j);
  } else {
    std::printf("loss %.6g, seed %llu, step %llu; adjoints against central differences, f64\n", result->loss,
                static_cast<unsigned long long>(result->seed), static_cast<unsigned long long>(result->step));
    if (!reduced.reductions.empty()) std::printf("reduced: %s\n", text_of(reduced.reductions).c_str());
    std::printf("\n");
    print(*result, "wire");
    std::printf("\n");
    if (result->stopped)
      std::printf("stopped: these are %zu of %zu values\n", result->results.size(), subject->blocks.size());
    if (result->passed() && !result->results.empty()) std::printf("no gradient is wrong%s\n", caveats(*result).c_str());
    for (const std::string& node : result->suspects) std::printf("wrong adjoint: node %s\n", node.c_str());
  }
  if (result->stopped) return exit_of_signal(StopOnSignal::signal());
  return result->passed() ? kDone : kGraphErrors;
}

/// Prints one example, or adds it to `all`; says whether it passed.
Result<bool> check_example(const Options& o, const NodeType& type, const Example& example, ordered_json& all) {
  if (!example.no_gradient_because.empty()) {
    if (o.json) {
      all.push_back({{"node", type.id}, {"example", example.name}, {"left_out", example.no_gradient_because}});
    } else {
      std::printf("%s, %s: left out: %s\n\n", type.id.c_str(), example.name.c_str(),
                  example.no_gradient_because.c_str());
    }
    return true;
  }
  HW_TRY(const GradSubject subject, example_subject(type, example));
  GradCheckOptions options;
  options.device = o.device.empty() ? "ref" : o.device;
  options.step = o.step;
  options.all_up_to = kExampleElements;
  options.cancel = &StopOnSignal::asked();
  HW_TRY(const GradReport found, check_gradients(subject, options));
  if (o.json) {
    ordered_json j = to_json(found);
    for (ordered_json& block : j["blocks"]) block["kind"] = block["kind"] == "wire" ? "input" : block["kind"];
    j["node"] = type.id;
    j["example"] = example.name;
    all.push_back(std::move(j));
  } else {
    std::printf("%s, %s: %s\n", type.id.c_str(), example.name.c_str(), found.passed() ? "passed" : "WRONG");
    print(found, "input");
    std::printf("\n");
  }
  return found.passed();
}

int check_types(const Options& o) {
  std::vector<const NodeType*> types;
  for (const std::string& id : o.types) {
    if (id.empty()) continue;  // --nodes alone
    types.push_back(Registry::instance().find(id));
    if (types.back()) continue;
    return report(
        Error{codes::unknown_node, "--nodes " + id, "there is no such node type.", "halfwire-cli nodes lists them."});
  }
  if (types.empty())
    for (const auto& [id, type] : Registry::instance().all()) types.push_back(&type);
  const StopOnSignal stop;
  ordered_json all = ordered_json::array();
  size_t wrong = 0, count = 0;
  {
    ProgressLine line;
    for (size_t k = 0; k < types.size(); ++k) {
      line.show(static_cast<double>(k) / static_cast<double>(types.size()), types[k]->id);
      for (const Example& example : types[k]->examples()) {
        const auto passed = check_example(o, *types[k], example, all);
        if (!passed) return report(passed.error());
        if (example.no_gradient_because.empty()) ++count;
        if (!*passed) ++wrong;
      }
    }
  }
  if (o.json) {
    print_json(ordered_json{{"passed", wrong == 0}, {"examples", std::move(all)}});
  } else {
    std::printf("%zu examples of %zu node types, %zu wrong\n", count, types.size(), wrong);
  }
  return wrong == 0 ? kDone : kGraphErrors;
}

int gradcheck(const Options& o) {
  if (const auto device = choose_device(o.device.empty() ? "ref" : o.device); !device) return report(device.error());
  if (o.of_types != o.graph.empty()) {
    return report(Error{codes::bad_usage, "gradcheck", "it needs a graph, or --nodes; not both.",
                        "halfwire-cli gradcheck GRAPH, or halfwire-cli gradcheck --nodes mlp."});
  }
  return o.of_types ? check_types(o) : check_graph(o);
}

}  // namespace

void add(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand(kGradientCheck.command, kGradientCheck.summary);
  auto o = std::make_shared<Options>();
  add_graph_options(*command, *o);
  command->get_option("graph")->required(false);
  CLI::Option* types =
      command->add_option("--nodes", o->types, "Instead of a graph: the examples of these node types; none named: all")
          ->expected(0, -1);
  command->add_option("--node", o->nodes, "Only what this node reads and makes, and its parameters; may be repeated")
      ->allow_extra_args(false)
      ->excludes(types);
  command->add_option("--samples", o->samples, "Samples a step, at most [check_samples of the Train node]")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 24))
      ->excludes(types);
  command
      ->add_flag("--whole", o->whole, "Tables and the like at their whole size; they also are where weights are given")
      ->excludes(types);
  command->add_option("--step", o->step, "0-based: random draws and batches")
      ->capture_default_str()
      ->check(CLI::Range(uint64_t{0}, uint64_t{1} << 53));
  add_weights(*command, o->weights, kWeightsBesideHelp)->excludes(types);
  command->get_option("--partial-weights")->excludes(types);
  add_device(*command, o->device,
             "What computes in f64; see halfwire-cli devices. Default: ref, or cpu where a run is long; it is said "
             "which, and why");
  add_json(*command, o->json);
  command->get_option("--set")->excludes(types);
  command->callback([o, types, &chosen] {
    o->of_types = types->count() > 0;
    chosen = [o] { return gradcheck(*o); };
  });
}

}  // namespace hw::cli::gradcheck_command
