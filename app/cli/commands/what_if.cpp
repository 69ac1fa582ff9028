// what-if: chosen nodes in another dtype, trained beside the graph as it is, from the same seed.
#include "engine/precision/what_if.h"

#include <CLI/CLI.hpp>
#include <cmath>
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
#include "engine/graph/precision/choose_precision.h"
#include "engine/precision/change_text.h"

namespace hw::cli::what_if_command {
namespace {

using nlohmann::ordered_json;

struct Options : GraphRequest {
  std::string dtype, out, device = "cpu";
  std::vector<std::string> nodes, inputs;
  WeightsChoice weights;
  uint64_t steps = 200;
  int64_t seed = -1;
  int threads = 0;
  bool json = false;
};

ordered_json whole_json(const Options& o, const WhatIfReport& r, const std::vector<std::string>& notes) {
  return {{"graph", o.graph},
          {"nodes", o.nodes},
          {"dtype", o.dtype},
          {"device", o.device},
          {"steps", r.steps},
          {"seed", r.seed},
          {"held_out_seed", r.held_out_seed},
          {"base", to_json(r.base)},
          {"changed", to_json(r.changed)},
          {"time_ratio", ratio_json(r.time)},
          {"time_noise", r.time.noise()},
          {"loss_rise", json_number(r.loss_rise)},
          {"loss_noise", r.loss_noise},
          {"output_error", json_number(r.output_error)},
          {"changes", notes}};
}

std::string outcome_text(const WhatIfSide& side) {
  if (side.failed) return side.failed->where + ": " + side.failed->reason;
  char text[64];
  std::snprintf(text, sizeof text, "loss %.4g, held out %.4g", side.loss, side.held_out_loss);
  return text;
}

void print(const WhatIfReport& r, const std::vector<std::string>& notes) {
  for (const std::string& note : notes) std::printf("%s\n", note.c_str());
  std::printf("\n%llu step%s from seed %llu, held out: seed %llu\n\n", static_cast<unsigned long long>(r.steps),
              r.steps == 1 ? "" : "s", static_cast<unsigned long long>(r.seed),
              static_cast<unsigned long long>(r.held_out_seed));
  print_sides({{"as it is", r.base}, {"changed", r.changed}});
  if (r.base.failed || r.changed.failed) {
    std::printf("\nas it is: %s\nchanged:  %s\n", outcome_text(r.base).c_str(), outcome_text(r.changed).c_str());
    return;
  }
  char error[32] = "Inf or NaN";
  if (std::isfinite(r.output_error)) std::snprintf(error, sizeof error, "%.3g", r.output_error);
  std::printf("\nheld-out loss %s, time %s, output error of the same weights: %s\n%s\n",
              change_text(1 + r.loss_rise, r.loss_noise).c_str(), change_text(r.time).c_str(), error, kWhatIsCounted);
}

int what_if(const Options& o) {
  WhatIfOptions options;
  auto loaded =
      noted(open_trainable_with, o, TrainableOptions{.device = o.device, .checks = true}, o.inputs, options.given);
  if (!loaded) return report(loaded.error());
  Graph& graph = loaded->graph;
  const auto dtype = dtype_from_name(o.dtype);
  if (!dtype || !info(*dtype).is_float)
    return report(Error{codes::bad_usage, "--dtype " + o.dtype, "there is no such float dtype.",
                        "One of f64, f32, tf32, f16, bf16, f8e4m3, f8e5m2."});
  if (const Status free = check_output(o.out, o.graph); !free) return report(free.error());
  if (const Status free = refuse_overwrite(o.out, input_files(*loaded, o.weights.file)); !free)
    return report(free.error());
  noted(note_warnings, *loaded);
  if (o.threads > 0) set_thread_count(o.threads);
  const auto plan = set_precision(graph, o.nodes, *dtype);
  if (!plan) {
    Error error = plan.error();
    if (error.code == codes::unknown_node) error.where = "--nodes " + error.where;
    return report(error);
  }
  Graph changed = graph;
  if (const auto applied = apply_edits(changed, plan->edits); !applied) return report(applied.error());
  if (report_blocking(changed, loaded->document, loaded->trainer)) return kGraphErrors;

  const auto weights = noted(load_weights_to_train, *loaded, o.weights);
  if (!weights) return report(weights.error());
  if (*weights) options.start.states = **weights;
  options.device = o.device;
  options.steps = o.steps;
  if (o.seed >= 0) options.held_out_seed = static_cast<uint64_t>(o.seed);
  const StopOnSignal stop;
  options.cancel = &StopOnSignal::asked();
  Result<WhatIfReport> result = Error{};
  {
    ProgressLine line;
    options.progress = [&](const WhatIfProgress& p) {
      char text[96];
      std::snprintf(text, sizeof text, "%llu/%llu  loss %.3e, changed %.3e", static_cast<unsigned long long>(p.step),
                    static_cast<unsigned long long>(p.steps), p.base_loss, p.changed_loss);
      line.show(static_cast<double>(p.step) / static_cast<double>(p.steps), text);
    };
    result = hw::what_if(graph, changed, *loaded->assets, options);
  }
  if (!result) return report(result.error());
  if (o.json) {
    print_json(whole_json(o, *result, plan->notes));
  } else {
    print(*result, plan->notes);
  }
  const Status saved = o.out.empty() ? ok() : noted(save_changed, o, *loaded, plan->edits, o.out);
  if (!saved) return report(saved.error());
  return result->base.failed && result->changed.failed ? report(*result->changed.failed) : static_cast<int>(kDone);
}

}  // namespace

void add(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("what-if", "Nodes in another dtype, trained beside the graph as it is");
  auto o = std::make_shared<Options>();
  add_graph_options(*command, *o);
  command->add_option("--nodes", o->nodes, "Ids, separated by commas; of a group: all in it that can have this dtype")
      ->required()
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--dtype", o->dtype, "What they are stored and computed in; tf32: their products")->required();
  command->add_option("--steps", o->steps, "Of each side")
      ->capture_default_str()
      ->check(CLI::Range(uint64_t{1}, uint64_t{1'000'000'000}));
  command->add_option("--held-out-seed", o->seed, "Of the samples that are measured on; default: the run's + 1")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 53));
  command->add_option("-o,--output", o->out, "Where the changed graph is written");
  add_weights(*command, o->weights, kWeightsBesideHelp);
  add_inputs(*command, o->inputs);
  add_device(*command, o->device);
  command->add_option("--threads", o->threads, "CPU threads; default: all cores")->check(CLI::Range(1, 1024));
  add_json(*command, o->json, "As JSON; null: not finite");
  command->callback([o, &chosen] { chosen = [o] { return what_if(*o); }; });
}

}  // namespace hw::cli::what_if_command
