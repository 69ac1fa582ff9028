// gradcheck: the adjoints of a graph against central differences.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/graph_input.h"
#include "app/cli/report.h"
#include "engine/check/grad_check.h"
#include "engine/run/bad_value.h"
#include "engine/run/train_settings.h"

namespace hw::cli {
namespace {

using nlohmann::ordered_json;

struct Options {
  std::string graph, node, device = "ref", weights;
  int64_t samples = 32;
  uint64_t step = 0;
  bool json = false;
  std::vector<std::string> sets;
};

std::string place(const GradResult& r) {
  return r.worst.index < 0 ? "a random direction" : place_text(r.worst.index, r.dims);
}

ordered_json to_json(const GradReport& report) {
  ordered_json j{{"passed", report.passed()}, {"loss", report.loss},         {"seed", report.seed},
                 {"step", report.step},       {"suspects", report.suspects}, {"blocks", ordered_json::array()}};
  for (const GradResult& r : report.results) {
    j["blocks"].push_back(
        {{"node", r.block.node},
         {"name", r.block.name},
         {"kind", r.block.is_parameter ? "parameter" : "wire"},
         {"dims", r.dims},
         {"verdict", name(r.verdict)},
         {"inherited", r.inherited},
         {"checks", r.checks},
         {"kinks", r.kinks},
         {"wrong", r.wrong},
         {"largest", r.largest},
         {"worst", {{"place", place(r)}, {"adjoint", r.worst.adjoint}, {"difference", r.worst.difference}}}});
  }
  return j;
}

void print(const GradReport& report) {
  size_t wide = 5;
  for (const GradResult& r : report.results) wide = std::max(wide, r.block.name.size());
  std::printf("loss %.6g, seed %llu, step %llu; adjoints against central differences, f64\n\n", report.loss,
              static_cast<unsigned long long>(report.seed), static_cast<unsigned long long>(report.step));
  std::printf("%-*s  %-9s  %-8s %6s %6s %6s  %12s  worst: adjoint, difference\n", static_cast<int>(wide), "value",
              "kind", "verdict", "checks", "kinks", "wrong", "largest");
  for (const GradResult& r : report.results) {
    std::printf("%-*s  %-9s  %-8s %6zu %6zu %6zu  %12.5g  %.9g, %.9g at %s%s\n", static_cast<int>(wide),
                r.block.name.c_str(), r.block.is_parameter ? "parameter" : "wire", std::string(name(r.verdict)).c_str(),
                r.checks, r.kinks, r.wrong, r.largest, r.worst.adjoint, r.worst.difference, place(r).c_str(),
                r.inherited ? "  (inherited)" : "");
  }
  std::printf("\n");
  if (report.passed()) std::printf("all gradients are right\n");
  for (const std::string& node : report.suspects) std::printf("wrong adjoint: node %s\n", node.c_str());
}

int gradcheck(const Options& o) {
  auto loaded = load_graph(o.graph);
  if (!loaded) return report(loaded.error());
  if (const Status set = apply_sets(loaded->graph, o.sets); !set) return report(set.error()), kBadUsage;
  const auto trainer = find_trainer(loaded->graph);
  if (!trainer) return report(trainer.error());
  if (report_blocking(loaded->graph, *trainer)) return kGraphErrors;
  if (!o.node.empty() && !loaded->graph.find(o.node))
    return report({codes::unknown_node, "--node " + o.node, "the graph has no node of this name.",
                   "Name one that is there."}),
           kBadUsage;
  GradCheckOptions options;
  options.device = o.device;
  options.step = o.step;
  if (const std::string file = weights_beside(o.graph, o.weights); !file.empty()) {
    auto weights = load_weights(file, loaded->graph);
    if (!weights) return report(weights.error());
    options.weights = *weights;
  }
  auto subject = grad_subject(with_fewer_samples(loaded->graph, o.samples), *loaded->assets);
  if (!subject) return report(subject.error());
  if (!o.node.empty()) std::erase_if(subject->blocks, [&](const GradBlock& block) { return block.node != o.node; });
  const auto result = check_gradients(*subject, options);
  if (!result) return report(result.error());
  if (o.json) {
    std::printf("%s\n", to_json(*result).dump(2).c_str());
  } else {
    print(*result);
  }
  return result->passed() ? kDone : kGraphErrors;
}

}  // namespace

void add_gradcheck(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("gradcheck", "Compare the gradients of a graph with central differences");
  auto o = std::make_shared<Options>();
  command->add_option("graph", o->graph, "A .halfwire file")->required();
  command->add_option("--node", o->node, "Only the outputs and parameters of this node");
  command->add_option("--samples", o->samples, "Samples a step, at most: source nodes draw fewer")
      ->capture_default_str()
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 24));
  command->add_option("--step", o->step, "0-based: random draws and batches")->capture_default_str();
  command->add_option("--weights", o->weights, "Default: GRAPH.safetensors beside the graph, else initial weights");
  command->add_option("--device", o->device, "What computes in f64; see halfwire-cli devices")->capture_default_str();
  command->add_flag("--json", o->json, "As JSON");
  command->add_option("--set", o->sets, "NODE.PARAM=VALUE; may be repeated")->allow_extra_args(false);
  command->callback([o, &chosen] { chosen = [o] { return gradcheck(*o); }; });
}

}  // namespace hw::cli
