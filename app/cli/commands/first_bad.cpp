// first-bad: the first op that makes an Inf or NaN, in a training or, where there is nothing to learn, in passes.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/train_with_progress.h"
#include "app/cli/options/device_choice.h"
#include "app/cli/options/given_inputs.h"
#include "app/cli/options/weights_choice.h"
#include "app/cli/print/json_output.h"
#include "app/cli/print/progress_line.h"
#include "app/cli/print/report.h"
#include "app/cli/print/stop_signal.h"
#include "app/workspace/assets.h"
#include "app/workspace/json.h"
#include "engine/graph/lower/stand_in_loss.h"
#include "engine/plan/training_plan.h"
#include "engine/train/find_bad_value.h"

namespace hw::cli::first_bad_command {
namespace {

using nlohmann::ordered_json;

struct Options : GraphRequest {
  std::vector<std::string> inputs;
  std::string device = "cpu";
  WeightsChoice weights;
  uint64_t steps = 0;
  int64_t seed = -1;
  bool json = false;
};

/// Trains, and looks.
Result<BadValueFound> of_training(const Options& o, const OpenGraph& loaded, GivenValues given) {
  TrainingRequest request;
  HW_TRY(request.weights, noted(load_weights_to_train, loaded, o.weights));
  request.graph = loaded.graph;
  request.assets = loaded.assets;
  request.device = o.device;
  request.steps = o.steps;
  request.given = std::move(given);
  request.halt_on_nonfinite = true;
  const TrainingResult result = train_to_end(std::move(request));
  const RunSnapshot& s = *result.last;
  if (s.error && !s.bad_value) return *s.error;
  BadValueFound found;
  if (s.bad_value) found.bad = *s.bad_value;
  found.steps = s.step;
  found.stopped = result.interrupted;
  return found;
}

/// What passes make of a graph that has nothing to learn. `steps`: where none are asked for.
Result<BadValueFound> of_passes(const Options& o, const OpenGraph& loaded, GivenValues given, uint64_t steps) {
  BadValueSearch search;
  HW_TRY(search.weights, noted(load_weights_beside, loaded, o.weights));
  search.device = o.device;
  search.steps = o.steps ? o.steps : steps;
  search.given = std::move(given);
  if (o.seed >= 0) search.seed = static_cast<uint64_t>(o.seed);
  const StopOnSignal stop;
  search.cancel = &StopOnSignal::asked();
  ProgressLine line;
  search.progress = [&](double share, const std::string& what) { line.show(share, what); };
  return find_bad_value(loaded.graph, *loaded.assets, search);
}

Result<BadValueFound> find(const Options& o) {
  HW_TRY(OpenGraph loaded, noted(open_graph, o));
  HW_TRY(std::vector<GivenInput> read, noted(read_given, loaded.graph, o.inputs, o.option_names.input));
  fit_inputs(loaded.graph, read);
  HW_CHECK(choose_device(o.device));
  noted(note_file_warnings, loaded, std::vector<std::string>());
  if (!has_trainer(loaded.graph)) {
    if (report_blocking_instances(loaded)) return kPrintedAlready;
    HW_TRY(GivenValues given, noted(as_wires, loaded.graph, std::move(read)));
    return of_passes(o, loaded, std::move(given), 1);
  }
  HW_TRY(const std::string trainer, find_trainer(loaded.graph));
  HW_CHECK(noted(prepare_training, loaded, trainer, TrainableOptions{.seed = o.seed}));
  HW_TRY(GivenValues given, noted(as_wires, loaded.graph, std::move(read)));
  HW_TRY(const TrainingPlan plan, plan_training(loaded.graph, *loaded.assets, false, true, 1, given));
  if (learns(plan)) return of_training(o, loaded, std::move(given));
  return of_passes(o, loaded, std::move(given), static_cast<uint64_t>(plan.settings.steps));
}

int first_bad(const Options& o) {
  const auto found = find(o);
  if (!found) return report(found.error());
  if (o.json) {
    print_json({{"graph", o.graph},
                {"device", o.device},
                {"steps", found->steps},
                {"stopped", found->stopped},
                {"first_bad_value", found->bad ? workspace::to_json(*found->bad) : ordered_json()}});
  } else if (found->bad) {
    std::printf("%s", to_string(*found->bad).c_str());
  } else {
    std::printf("%sno Inf or NaN in %llu step%s\n", found->stopped ? "stopped: " : "",
                static_cast<unsigned long long>(found->steps), found->steps == 1 ? "" : "s");
  }
  if (found->bad) return report(to_error(*found->bad));
  return found->stopped ? exit_of_signal(StopOnSignal::signal()) : kDone;
}

}  // namespace

void add(CLI::App& app, Action& chosen) {
  CLI::App* command =
      app.add_subcommand("first-bad", "Find the first op that makes an Inf or NaN; exit 1 where one does");
  auto o = std::make_shared<Options>();
  add_graph_options(*command, *o);
  add_inputs(*command, o->inputs);
  command->add_option("--steps", o->steps, "Steps at most; default: the Train node's, without one 1")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1'000'000'000}));
  command->add_option("--seed", o->seed, "Instead of the Train node's")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 53));
  add_weights(*command, o->weights, kWeightsBesideHelp);
  add_device(*command, o->device);
  add_json(*command, o->json, "As JSON; Inf and NaN are text");
  command->callback([o, &chosen] { chosen = [o] { return first_bad(*o); }; });
}

}  // namespace hw::cli::first_bad_command
