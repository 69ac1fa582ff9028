// train: trains a graph, or goes on from a checkpoint; writes weights.safetensors, loss.csv and report.json, with
// instruments also gradients.csv.
#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/train_with_progress.h"
#include "app/cli/options/device_choice.h"
#include "app/cli/options/given_inputs.h"
#include "app/cli/options/weights_choice.h"
#include "app/cli/print/instrument_table.h"
#include "app/cli/print/json_output.h"
#include "app/cli/print/printable_text.h"
#include "app/cli/print/report.h"
#include "app/workspace/assets.h"
#include "app/workspace/resume_place.h"
#include "app/workspace/train_results.h"
#include "engine/core/nearest_names.h"
#include "engine/core/parallel.h"
#include "engine/io/checkpoint/checkpoint_writer.h"
#include "engine/io/file/folder_lock.h"
#include "engine/plan/memory_estimate.h"
#include "engine/train/bad_value.h"

namespace hw::cli::train_command {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

struct Options : GraphRequest {
  std::string device = "cpu", out, resume;
  std::vector<std::string> inputs;
  WeightsChoice weights;
  uint64_t steps = 0, checkpoint_every = 0;
  int64_t seed = -1;
  int threads = 0;
  bool halt_on_nonfinite = false, instruments = false, keep_optimiser = false, overwrite = false, json = false;
  uint64_t instruments_every = 0;
};

/// Said where a run is to end elsewhere than it was to when its checkpoint was made, and its learning rate depends on
/// it.
void note_schedule(const Checkpoint& checkpoint, uint64_t end, const TrainSettings& settings) {
  using Schedule = TrainSettings::Schedule;
  if (end == checkpoint.steps || settings.schedule == Schedule::constant || settings.schedule == Schedule::step) return;
  std::fprintf(stderr,
               "note: the learning rate's schedule ends at step %llu now, not at %llu: at step %llu the rate goes from "
               "%.3g to %.3g\n",
               static_cast<unsigned long long>(end), static_cast<unsigned long long>(checkpoint.steps),
               static_cast<unsigned long long>(checkpoint.step),
               learning_rate_at(settings, checkpoint.step, checkpoint.steps),
               learning_rate_at(settings, checkpoint.step, end));
}

/// Whether the run goes on in the folder that holds the checkpoint it goes on from.
bool resumes_in(const Options& o) {
  if (o.resume.empty()) return false;
  const fs::path from = fs::is_directory(o.resume) ? fs::path(o.resume) : fs::path(o.resume).parent_path();
  std::error_code ec;
  return fs::equivalent(from.empty() ? fs::path(".") : from, o.out, ec);
}

/// Where a resumed run starts, and the options it takes over from the checkpoint.
Status resume(Options& o, const TrainSettings& settings, TrainingRequest& request) {
  HW_TRY(ResumePlace place, noted(find_resume_place, o.resume));
  Checkpoint& checkpoint = place.checkpoint;
  const auto given = static_cast<uint64_t>(o.seed);
  if (o.seed >= 0 && given != checkpoint.seed) {
    return Error{codes::bad_usage, "--seed " + std::to_string(o.seed),
                 "the checkpoint was made with seed " + std::to_string(checkpoint.seed) + ".", "Leave --seed out."};
  }
  o.seed = static_cast<int64_t>(checkpoint.seed);
  const uint64_t end = o.steps ? o.steps : checkpoint.steps;
  request.ends = end == checkpoint.step && resumes_in(o) && !workspace::has_results(o.out, place.file, checkpoint.step);
  if (request.ends)
    std::fprintf(stderr, "note: the run ended at step %llu without its results: they are written now\n",
                 static_cast<unsigned long long>(end));
  if (end <= checkpoint.step && !request.ends) {
    return Error{
        codes::bad_usage, place.file.string(),
        "this checkpoint already is at step " + std::to_string(checkpoint.step) + " of " + std::to_string(end) + ".",
        "Ask for more with --steps."};
  }
  note_schedule(checkpoint, end, settings);
  request.steps = end - checkpoint.step;
  if (!o.checkpoint_every) o.checkpoint_every = checkpoint.every;
  request.checkpoint = std::make_shared<const Checkpoint>(std::move(checkpoint));
  return ok();
}

/// The folder for the results: as asked, else that of the checkpoint, else "out".
std::string results_folder(const Options& o) {
  if (!o.out.empty()) return o.out;
  if (o.resume.empty()) return "out";
  if (fs::is_directory(o.resume)) return o.resume;
  const std::string parent = fs::path(o.resume).parent_path().string();
  return parent.empty() ? "." : parent;
}

/// What another run left in the folder is set aside, unless it may be written over.
Status make_room(const Options& o) {
  if (o.overwrite || resumes_in(o)) return ok();
  HW_TRY(const std::vector<std::string> kept, workspace::set_results_aside(o.out));
  if (!kept.empty())
    std::fprintf(stderr, "note: the results of another run in %s are kept as %s; --overwrite replaces them\n",
                 o.out.c_str(), listed(kept, kept.size()).c_str());
  return ok();
}

/// A new folder in `out`, whose files of another run cannot be moved.
fs::path fresh_folder(const fs::path& out) {
  std::error_code ec;
  for (int n = 1;; ++n) {
    const fs::path folder = out / ("run-" + std::to_string(n));
    if (fs::create_directory(folder, ec) || ec) return folder;
  }
}

/// One line a value that went between devices, and their sum.
void print_transfers(const std::vector<TransferReading>& transfers) {
  if (transfers.empty()) return;
  double bytes = 0, ms = 0;
  for (const TransferReading& t : transfers) bytes += t.bytes, ms += t.ms;
  std::printf("between devices: %s and %.3g ms a step\n", memory_text(static_cast<size_t>(bytes)).c_str(), ms);
  for (const TransferReading& t : transfers) {
    const std::string value = !t.value.empty() ? t.value : t.node + ", an intermediate result";
    std::printf("  %s: %s a step, %.3g ms, %s -> %s\n", value.c_str(),
                memory_text(static_cast<size_t>(t.bytes)).c_str(), t.ms, t.from.c_str(), t.to.c_str());
  }
}

void print_summary(const Options& o, const workspace::TrainOutcome& outcome) {
  const RunSnapshot& s = *outcome.result.last;
  std::printf("%s%llu step%s in %.1f s, %s samples/s over the run\n", outcome.result.interrupted ? "stopped: " : "",
              static_cast<unsigned long long>(s.step), s.step == 1 ? "" : "s", s.seconds,
              short_count(s.samples_per_s).c_str());
  std::printf("mean training loss %.4e: %s\n", workspace::mean_loss(*s.losses),
              workspace::mean_loss_over(*s.losses).c_str());
  if (outcome.psnr.db) std::printf("PSNR %.2f dB: %s\n", *outcome.psnr.db, outcome.psnr.of.c_str());
  if (s.best)
    std::printf("best validation loss %.4e: at step %llu of %llu\n", s.best->loss,
                static_cast<unsigned long long>(s.best->step), static_cast<unsigned long long>(s.step));
  if (s.measured) {
    const std::string over = workspace::metrics_over(s);
    if (s.measured->loss)
      std::printf("%s loss %.4e: %s\n", std::string(name(s.measured->split)).c_str(), *s.measured->loss, over.c_str());
    for (const auto& [id, value] : s.measured->numbers) std::printf("%s %.4f: %s\n", id.c_str(), value, over.c_str());
  }
  if (s.loss_scales)
    std::printf("loss scale %.10g after the last step, %llu steps skipped\n", s.loss_scale,
                static_cast<unsigned long long>(workspace::skipped_steps(s)));
  std::printf("%s: weights.safetensors, loss.csv, report.json%s", o.out.c_str(),
              s.instruments ? ", gradients.csv" : "");
  if (outcome.result.states)
    std::printf(", %s (%s)", optimiser_file("weights.safetensors").c_str(), memory_text(s.states_bytes).c_str());
  std::printf("\n");
}

void print(const Options& o, const workspace::TrainOutcome& outcome) {
  const RunSnapshot& s = *outcome.result.last;
  print_summary(o, outcome);
  print_transfers(s.transfers);
  if (!s.instruments) return;
  if (o.instruments || o.instruments_every > 0) print_instruments(*s.instruments);
  print_verdicts(*s.instruments);
}

int train(Options o) {
  auto loaded = noted(open_graph, o);
  if (!loaded) return report(loaded.error());
  Graph& graph = loaded->graph;
  auto given = noted(read_given, graph, o.inputs, o.option_names.input);
  if (!given) return report(given.error());
  fit_inputs(graph, *given);
  const auto trainer = find_trainer(graph);
  if (!trainer) return report(trainer.error());
  TrainingRequest request;
  request.steps = o.steps;
  o.out = results_folder(o);
  std::optional<FolderLock> lock;  // held before a checkpoint in it is chosen
  const auto hold = [&]() -> Status {
    if (lock) return ok();
    HW_TRY(FolderLock taken, FolderLock::take(o.out));
    lock.emplace(std::move(taken));
    return ok();
  };
  if (!o.resume.empty()) {
    std::error_code ec;
    if (const Status held = fs::is_directory(o.out, ec) ? hold() : ok(); !held) return report(held.error());
    if (const Status resumed = resume(o, train_settings(*graph.find(*trainer)), request); !resumed)
      return report(resumed.error());
  }
  if (const Status ready = noted(prepare_training, *loaded, *trainer, TrainableOptions{.seed = o.seed}); !ready)
    return report(ready.error());
  noted(note_examples, graph, std::array{SocketRef{*trainer, ""}}, *given, o.option_names.input);
  auto values = noted(as_wires, graph, std::move(*given));
  if (!values) return report(values.error());
  request.given = std::move(*values);
  noted(note_warnings, *loaded);
  if (const auto device = choose_device(o.device); !device) return report(device.error());
  if (const Status made = workspace::prepare_folder(o.out, "--out"); !made) return report(made.error());
  if (const Status held = hold(); !held) return report(held.error());
  if (o.threads > 0) set_thread_count(o.threads);

  request.graph = graph;
  request.assets = loaded->assets;
  request.device = o.device;
  request.halt_on_nonfinite = o.halt_on_nonfinite;
  request.keep_states = o.keep_optimiser;
  // Without masters updates can be lost, which no loss shows.
  const bool pure = param_value(*graph.find(*trainer), "master_weights") == ParamValue(std::string("none"));
  if (o.instruments || o.instruments_every > 0 || pure) {
    request.instruments.emplace();
    request.instruments->every = o.instruments_every;
  }
  if (!request.checkpoint) {
    const auto file = weights_beside(*loaded, o.weights.file);
    if (!file) return report(file.error());
    if (!file->empty() && has_optimiser(*file))
      std::fprintf(stderr,
                   "note: the run begins with a new optimiser; --resume %s goes on with the one that was saved\n",
                   optimiser_file(*file).c_str());
    auto weights = noted(load_weights_to_train, *loaded, o.weights);
    if (!weights) return report(weights.error());
    request.weights = std::move(*weights);
  }
  std::optional<CheckpointWriter> writer;
  // Checkpoints in another folder than the one that is resumed are another run's: --resume would take them for this
  // one's.
  const uint64_t start = resumes_in(o) ? request.checkpoint->step : 0;
  if (const Status free = check_checkpoint_folder(o.out, start); !free) return report(free.error());
  if (o.checkpoint_every > 0) {
    writer.emplace(o.out, start);
    request.checkpoint_every = o.checkpoint_every;
    request.checkpoint_sink = [&](std::shared_ptr<const Checkpoint> c) { writer->write(std::move(c)); };
  }
  const TrainingResult result = train_to_end(std::move(request));
  const RunSnapshot& s = *result.last;
  for (const std::string& note : s.notes) std::fprintf(stderr, "note: %s\n", printable_text(note).c_str());
  const Status kept = writer ? writer->finish() : ok();
  if (!kept) report(kept.error());
  if (s.error) report(*s.error);
  if (s.bad_value) std::fprintf(stderr, "%s", to_string(*s.bad_value).c_str());
  if (s.losses->empty() && !s.bad_value) {
    if (s.error) return exit_code(*s.error);
    std::fprintf(stderr, "stopped before the first step; nothing was written\n");
    return exit_of(result);
  }
  workspace::TrainOutcome outcome{o.graph, o.device, graph, *trainer, train_settings(*graph.find(*trainer)), result};
  if (!s.error) {
    const auto psnr = workspace::psnr_of(outcome, loaded->assets);
    // A picture that cannot be judged does not cost the training its results.
    if (psnr) {
      outcome.psnr = *psnr;
    } else {
      report(psnr.error());
      outcome.psnr.of = "none: the Image View cannot be compared with its picture";
    }
  }
  const Status free = make_room(o);
  if (!free) {  // what was learnt is not given up for it
    report(free.error());
    o.out = fresh_folder(o.out).string();
    std::fprintf(stderr, "note: the results of this run are in %s\n", o.out.c_str());
  }
  workspace::TrainFiles files = workspace::write_results(outcome, o.out);
  for (const Error& error : files.unwritten) report(error);
  if (o.json) {
    files.report["files"] = ordered_json::array();
    for (const fs::path& file : files.written) files.report["files"].push_back(file.string());
    print_json(files.report);
  } else if (s.error) {
    if (s.instruments) print_verdicts(*s.instruments);
  } else if (files.unwritten.empty()) {
    print(o, outcome);
  }
  if (s.error) return exit_code(*s.error);
  if (!files.unwritten.empty()) return exit_code(files.unwritten.front());
  if (!free) return exit_code(free.error());
  return kept ? exit_of(result) : exit_code(kept.error());
}

}  // namespace

void add(CLI::App& app, Action& chosen) {
  CLI::App* command =
      app.add_subcommand("train", "Train a graph; Ctrl-C stops, keeps what there is and exits with 130");
  auto o = std::make_shared<Options>();
  add_graph_options(*command, *o);
  command
      ->add_option("--steps", o->steps,
                   "Length of the run, the part before --resume included; default: the Train node's")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1'000'000'000}));
  add_inputs(*command, o->inputs);
  add_device(*command, o->device);
  command->add_option("--seed", o->seed, "Instead of the Train node's")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 53));
  add_pins(*command, o->pins);
  CLI::Option* weights = add_weights(*command, o->weights, kWeightsBesideHelp);
  command->add_option("--threads", o->threads, "CPU threads; default: all cores")->check(CLI::Range(1, 1024));
  command->add_option("--out", o->out, "Folder for the results; made when missing; default: out, or that of --resume");
  command
      ->add_option("--checkpoint-every", o->checkpoint_every,
                   "Steps between checkpoints in --out; the last 2 stay, and the last sound one")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1'000'000'000}));
  command->add_option("--resume", o->resume, "Go on from a checkpoint, or from the newest sound one in this folder")
      ->excludes(weights);
  command->add_flag("--overwrite", o->overwrite,
                    "Replace what another run left in --out; else it is kept there as weights.previous.safetensors and "
                    "so on. A run that is resumed in its own folder replaces what it left there");
  command->add_flag(
      "--keep-optimiser", o->keep_optimiser,
      "Write the optimiser's state beside the weights, too: weights.optimiser.safetensors, which --resume "
      "goes on from with the same bits");
  command->add_flag(
      "--halt-on-nonfinite", o->halt_on_nonfinite,
      "Look at every value of every step; stop at the first Inf or NaN and say where it came from. Slower");
  command->add_flag(
      "--instruments", o->instruments,
      "Look at every wire and parameter, forward and gradient, in as many steps as take at most 2 % of the "
      "processor time of the steps, beside the first and the last; a table at the end, all of it in report.json, and "
      "in gradients.csv how large gradients and updates were. Where master_weights is none they look on by "
      "themselves, and lost updates are reported");
  command
      ->add_option("--instruments-every", o->instruments_every,
                   "The same in every so many steps, whatever it costs; 1: all Inf and NaN of the run are counted")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1'000'000'000}));
  add_json(*command, o->json, "On stdout, what report.json holds, with the files that were written");
  command->callback([o, &chosen] { chosen = [o] { return train(*o); }; });
}

}  // namespace hw::cli::train_command
