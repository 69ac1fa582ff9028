// compare-runs: trains graphs one after another, each from its seed or from --seed; a table, compare.csv, compare.png.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/train_with_progress.h"
#include "app/cli/options/device_choice.h"
#include "app/cli/options/graph_input.h"
#include "app/cli/options/weights_choice.h"
#include "app/cli/print/json_output.h"
#include "app/cli/print/loss_picture.h"
#include "app/cli/print/report.h"
#include "app/workspace/assets.h"
#include "app/workspace/json.h"
#include "app/workspace/train_results.h"
#include "engine/core/parallel.h"
#include "engine/io/file/atomic_file.h"
#include "engine/io/file/folder_lock.h"
#include "engine/io/media/image_file.h"

namespace hw::cli::compare_runs_command {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

struct Options : GraphRequest {
  std::vector<std::string> graphs;
  std::string device = "cpu", out = "compare";
  WeightsChoice weights;
  uint64_t steps = 0;
  int64_t seed = -1;
  int threads = 0;
  bool json = false;
};

struct Run {
  std::string name, graph;
  std::shared_ptr<const RunSnapshot> last;
  workspace::Psnr psnr;
};

/// Trains one graph. A failed run is a row, too: its losses up to there are worth seeing.
Result<Run> train_one(const Options& o, const std::string& file) {
  const auto opened = noted(open_trainable, GraphRequest{file, o.sets, o.allowed, {}, option_names()},
                            TrainableOptions{.seed = o.seed});
  if (!opened) {
    if (!opened.error().code.empty()) return opened.error();
    return Error{codes::no_trainer, file, "the graph has errors.", "Mend what is listed above."};
  }
  const TrainableGraph& loaded = *opened;
  const Graph& graph = loaded.graph;
  noted(note_warnings, loaded);
  TrainingRequest request;
  request.graph = graph;
  request.assets = loaded.assets;
  request.device = o.device;
  request.steps = o.steps;
  HW_TRY(request.weights, noted(load_weights_to_train, loaded, o.weights));
  const TrainingResult result = train_to_end(std::move(request));
  if (result.interrupted) return Error{codes::cancelled, file, "stopped.", ""};
  Run run{fs::path(file).stem().string(), file, result.last, {}};
  if (result.last->error) {
    report(*result.last->error);
    return run;
  }
  const workspace::TrainOutcome outcome{
      file, o.device, graph, loaded.trainer, train_settings(*graph.find(loaded.trainer)), result};
  if (const auto psnr = workspace::psnr_of(outcome, loaded.assets)) {
    run.psnr = *psnr;
  } else {
    report(psnr.error());
  }
  return run;
}

void print_table(const std::vector<Run>& runs) {
  std::printf("%-24s %8s %12s %9s %9s %12s %12s %8s\n", "run", "steps", "mean loss", "PSNR dB", "seconds", "samples/s",
              "loss scale", "skipped");
  for (const Run& run : runs) {
    const RunSnapshot& s = *run.last;
    char psnr[32] = "-", scale[32] = "-";
    if (run.psnr.db) std::snprintf(psnr, sizeof psnr, "%.2f", *run.psnr.db);
    if (s.loss_scales) std::snprintf(scale, sizeof scale, "%.10g", s.loss_scale);
    std::printf("%-24s %8llu %12.4e %9s %9.1f %12s %12s %8lld%s\n", run.name.c_str(),
                static_cast<unsigned long long>(s.step), workspace::mean_loss(*s.losses), psnr, s.seconds,
                short_count(s.samples_per_s).c_str(), scale, static_cast<long long>(workspace::skipped_steps(s)),
                s.error ? "  failed" : "");
  }
  for (const Run& run : runs) {
    std::printf("%s: mean loss: %s", run.name.c_str(), workspace::mean_loss_over(*run.last->losses).c_str());
    std::printf(run.psnr.of.empty() ? "\n" : "; PSNR: %s\n", run.psnr.of.c_str());
  }
}

ordered_json to_json(const Run& run) {
  const RunSnapshot& s = *run.last;
  ordered_json j{{"name", run.name},
                 {"graph", run.graph},
                 {"steps", s.step},
                 {"final_loss", s.loss},
                 {"mean_loss", workspace::mean_loss(*s.losses)},
                 {"mean_loss_is", workspace::mean_loss_over(*s.losses)},
                 {"psnr", run.psnr.db ? ordered_json(*run.psnr.db) : ordered_json()},
                 {"psnr_is", run.psnr.of},
                 {"seconds", s.seconds},
                 {"samples_per_s", s.samples_per_s}};
  if (s.loss_scales) {
    j["loss_scale"] = s.loss_scale;
    j["skipped_steps"] = workspace::skipped_steps(s);
  }
  j["error"] = s.error ? workspace::to_json(*s.error) : ordered_json();
  return j;
}

std::string csv_of(const std::vector<Run>& runs) {
  std::string text = "step";
  size_t steps = 0;
  for (const Run& run : runs) {
    text += "," + run.name;
    steps = std::max(steps, run.last->losses->size());
  }
  text += "\n";
  for (size_t i = 0; i < steps; ++i) {
    text += std::to_string(i + 1);
    for (const Run& run : runs) {
      text += ",";
      if (i < run.last->losses->size()) text += workspace::csv_number((*run.last->losses)[i]);
    }
    text += "\n";
  }
  return text;
}

int compare_runs(const Options& o) {
  if (const auto device = choose_device(o.device); !device) return report(device.error());
  if (const Status made = workspace::prepare_folder(o.out, "--out"); !made) return report(made.error());
  const auto lock = FolderLock::take(o.out);
  if (!lock) return report(lock.error());
  if (o.threads > 0) set_thread_count(o.threads);
  std::vector<Run> runs;
  std::vector<LossCurve> curves;
  int exit = kDone;
  for (const std::string& file : o.graphs) {
    auto run = train_one(o, file);
    if (!run) {  // what was trained so far is kept
      exit = report(run.error());
      break;
    }
    if (run->last->error) exit = exit_code(*run->last->error);
    if (std::any_of(runs.begin(), runs.end(), [&](const Run& r) { return r.name == run->name; })) run->name = file;
    curves.push_back({run->name, *run->last->losses});
    runs.push_back(std::move(*run));
  }
  if (runs.empty()) return exit;
  const fs::path folder(o.out);
  const fs::path table = folder / "compare.csv", plot = folder / "compare.png";
  if (const Status s = write_file_atomically(table, csv_of(runs)); !s) return report(s.error());
  if (const Status s = save_png(plot_losses(curves), plot); !s) return report(s.error());
  if (o.json) {
    ordered_json j{{"device", o.device}, {"files", {table.string(), plot.string()}}, {"runs", ordered_json::array()}};
    for (const Run& run : runs) j["runs"].push_back(to_json(run));
    print_json(j);
    return exit;
  }
  print_table(runs);
  std::printf("%s: compare.csv, compare.png\n", o.out.c_str());
  return exit;
}

}  // namespace

void add(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("compare-runs", "Train graphs; their losses in a table and a plot");
  auto o = std::make_shared<Options>();
  command->add_option("graphs", o->graphs, ".halfwire files")->required();
  command->add_option("--steps", o->steps, "Of each run; default: the Train node's")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1'000'000'000}));
  command->add_option("--seed", o->seed, "Of every run, instead of the Train nodes'")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 53));
  add_sets(*command, o->sets)->description("NODE.PARAM=VALUE, in every graph; may be repeated");
  command
      ->add_option("--weights", o->weights.file,
                   "none: each begins with initial weights; default: with those beside it, where there are any")
      ->check(CLI::IsMember({std::string(kNoWeights)}));
  add_allowed(*command, o->allowed);
  add_device(*command, o->device);
  command->add_option("--threads", o->threads, "CPU threads; default: all cores")->check(CLI::Range(1, 1024));
  command->add_option("--out", o->out, "Folder for compare.csv and compare.png")->capture_default_str();
  add_json(*command, o->json);
  command->callback([o, &chosen] { chosen = [o] { return compare_runs(*o); }; });
}

}  // namespace hw::cli::compare_runs_command
