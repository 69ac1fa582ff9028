// plan-precision: the cheapest precision of each node within a budget; writes the planned graph.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/commands/commands.h"
#include "app/cli/options/device_choice.h"
#include "app/cli/options/given_inputs.h"
#include "app/cli/options/weights_choice.h"
#include "app/cli/print/json_output.h"
#include "app/cli/print/precision_report.h"
#include "app/cli/print/progress_line.h"
#include "app/cli/print/report.h"
#include "app/cli/print/stop_signal.h"
#include "app/workspace/assets.h"
#include "app/workspace/input_files.h"
#include "engine/core/parallel.h"
#include "engine/precision/change_text.h"
#include "engine/precision/precision_planner.h"

namespace hw::cli::plan_precision_command {
namespace {

using nlohmann::ordered_json;

struct Options : GraphRequest {
  std::string budget, out, minimise = "both", device = "cpu";
  uint64_t steps = 0, probe_steps = 0;
  int64_t held_out_seed = -1;
  int threads = 0, repeats = 1;
  std::vector<std::string> inputs;
  WeightsChoice weights;
  bool json = false;
};

ordered_json whole_json(const Options& o, const PrecisionBudget& budget, const PrecisionProposal& p) {
  ordered_json trials = ordered_json::array();
  for (const PlannerTrial& t : p.trials) {
    trials.push_back({{"config", t.config},
                      {"final", t.is_final},
                      {"cost", t.is_measured ? json_number(t.cost) : ordered_json()},
                      {"cost_noise", t.cost_noise},
                      {"bytes", to_json(t.bytes)},
                      {"time_ratio", ratio_json(t.time)},
                      {"time_noise", t.time.noise()},
                      {"verdict", t.verdict}});
  }
  return {{"graph", o.graph},
          {"output", o.out},
          {"budget", {{"of", budget.kind == PrecisionBudget::Kind::loss ? "loss" : "error"}, {"limit", budget.limit}}},
          {"device", o.device},
          {"steps", p.steps},
          {"seed", p.seed},
          {"held_out_seed", p.held_out_seed},
          {"found", p.found},
          {"why", p.why},
          {"config", p.config},
          {"changes", p.notes},
          {"full", to_json(p.full)},
          {"plan", to_json(p.plan)},
          {"cost", json_number(p.cost)},
          {"cost_noise", p.cost_noise},
          {"bytes_ratio", p.bytes_ratio(budget.kind)},
          {"time_ratio", ratio_json(p.time)},
          {"time_noise", p.time.noise()},
          {"trials", trials}};
}

void print_trials(const PrecisionProposal& p, PrecisionBudget::Kind kind) {
  const bool loss = kind == PrecisionBudget::Kind::loss;
  std::printf("%-6s %18s %11s %18s\n", "", loss ? "held-out loss" : "output error", loss ? "training" : "running",
              "time");
  for (const PlannerTrial& t : p.trials) {
    char error[32];
    std::snprintf(error, sizeof error, "%.3g", t.cost);
    const std::string cost = !t.is_measured ? "not measured" : loss ? change_text(1 + t.cost, t.cost_noise) : error;
    const size_t bytes = loss ? t.bytes.training.total() : t.bytes.running;
    std::printf("%-6s %s %11s %s  %s: %s\n", t.is_final ? "final" : "probe", padded(cost, 18).c_str(),
                memory_text(bytes).c_str(), padded(change_text(t.time), 18).c_str(), t.config.c_str(),
                t.verdict.c_str());
  }
}

void print(const Options& o, const PrecisionBudget& budget, const PrecisionProposal& p) {
  const bool loss = budget.kind == PrecisionBudget::Kind::loss;
  print_trials(p, budget.kind);
  std::printf("\n%s: %s\n", p.found ? "plan" : "no change", p.config.c_str());
  if (!p.why.empty()) std::printf("%s\n", p.why.c_str());
  for (const std::string& note : p.notes) std::printf("  %s\n", note.c_str());
  std::printf("\n%llu step%s from seed %llu, held out: seed %llu%s\n\n", static_cast<unsigned long long>(p.steps),
              p.steps == 1 ? "" : "s", static_cast<unsigned long long>(p.seed),
              static_cast<unsigned long long>(p.held_out_seed), loss ? "" : "; ms: of one evaluation");
  print_sides({{"full", p.full}, {"plan", p.plan}});
  if (loss) {
    std::printf("\nheld-out loss %s", change_text(1 + p.cost, p.cost_noise).c_str());
  } else {
    std::printf("\noutput error %.3g", p.cost);
  }
  std::printf(" (budget: %s%s), %s bytes %s, time %s\n%s\n", to_string(budget).c_str(),
              loss && o.repeats < 2 ? "; ±: within this run, another seed may end farther apart, see --repeats" : "",
              loss ? "training" : "running", change_text(p.bytes_ratio(budget.kind)).c_str(),
              change_text(p.time).c_str(), kWhatIsCounted);
}

Result<PrecisionProposal> search(const Options& o, const OpenGraph& loaded, const PrecisionBudget& budget,
                                 GivenValues given) {
  PlannerOptions options;
  HW_TRY(const std::shared_ptr<const Weights> weights, noted(load_weights_to_train, loaded, o.weights));
  if (weights) options.states = *weights;
  options.given = std::move(given);
  options.device = o.device;
  options.budget = budget;
  options.minimise = *minimise_from_name(o.minimise);
  options.steps = o.steps;
  options.probe_steps = o.probe_steps;
  options.repeats = o.repeats;
  if (o.held_out_seed >= 0) options.held_out_seed = static_cast<uint64_t>(o.held_out_seed);
  const StopOnSignal stop;
  options.cancel = &StopOnSignal::asked();
  ProgressLine line;
  options.progress = [&](const PlannerProgress& p) { line.show(p.share, p.what); };
  return plan_precision(loaded.graph, *loaded.assets, options);
}

int plan(const Options& o) {
  const auto budget = parse_precision_budget(o.budget);
  if (!budget) {
    Error error = budget.error();
    error.where = "--budget " + error.where;
    return report(error);
  }
  GivenValues given;
  const auto loaded =
      noted(open_trainable_with, o, TrainableOptions{.device = o.device, .checks = true}, o.inputs, given);
  if (!loaded) return report(loaded.error());
  if (const Status free = check_output(o.out, o.graph); !free) return report(free.error());
  if (const Status free = refuse_overwrite(o.out, input_files(*loaded, o.weights.file)); !free)
    return report(free.error());
  noted(note_warnings, *loaded);
  if (o.threads > 0) set_thread_count(o.threads);
  const auto proposal = search(o, *loaded, *budget, std::move(given));
  if (!proposal) return report(proposal.error());
  if (o.json) {
    print_json(whole_json(o, *budget, *proposal));
  } else {
    print(o, *budget, *proposal);
  }
  if (o.out.empty()) return kDone;
  if (const Status saved = noted(save_changed, o, *loaded, proposal->edits, o.out); !saved)
    return report(saved.error());
  if (!o.json) std::printf("%s: written\n", o.out.c_str());
  return kDone;
}

}  // namespace

void add(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("plan-precision", "Find the cheapest precision of each node within a budget");
  auto o = std::make_shared<Options>();
  add_graph_options(*command, *o);
  command
      ->add_option("--budget", o->budget,
                   "loss=SHARE: how much the held-out loss may rise after training; error=SHARE: relative error of the "
                   "outputs on weights trained in full precision. 1% or 0.01")
      ->required();
  command->add_option("--minimise", o->minimise, "both: bytes times time; bytes; time")
      ->capture_default_str()
      ->check(CLI::IsMember({"both", "bytes", "time"}));
  command->add_option("-o,--output", o->out, "Where the planned graph is written");
  command->add_option("--steps", o->steps, "Of the runs that decide; default: the Train node's")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1'000'000'000}));
  command->add_option("--probe-steps", o->probe_steps, "Of short runs; default: a tenth of --steps, 20 to 100")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1'000'000'000}));
  command->add_option("--held-out-seed", o->held_out_seed, "Of the samples that decide; default: the run's + 1")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 53));
  command->add_option("--repeats", o->repeats, "loss budget: seeds of training whose mean decides; costs as many runs")
      ->capture_default_str()
      ->check(CLI::Range(1, 100));
  add_weights(*command, o->weights, kWeightsBesideHelp);
  add_inputs(*command, o->inputs);
  add_device(*command, o->device);
  command->add_option("--threads", o->threads, "CPU threads; default: all cores")->check(CLI::Range(1, 1024));
  add_json(*command, o->json, "As JSON; null: not finite");
  command->callback([o, &chosen] { chosen = [o] { return plan(*o); }; });
}

}  // namespace hw::cli::plan_precision_command
