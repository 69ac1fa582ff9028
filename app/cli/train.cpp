// train: trains a graph, or goes on from a checkpoint; writes weights.safetensors, loss.csv and report.json, with
// instruments also gradients.csv.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "app/cli/asset_check.h"
#include "app/cli/commands.h"
#include "app/cli/device_choice.h"
#include "app/cli/gradient_results.h"
#include "app/cli/instrument_table.h"
#include "app/cli/report.h"
#include "app/cli/train_results.h"
#include "engine/core/parallel.h"
#include "engine/io/checkpoint_writer.h"
#include "engine/run/bad_value.h"
#include "engine/run/memory_estimate.h"

namespace hw::cli {
namespace {

namespace fs = std::filesystem;

struct Options : GraphOptions {
  std::string device = "cpu", out, weights, resume;
  uint64_t steps = 0, checkpoint_every = 0;
  int64_t seed = -1;
  int threads = 0;
  bool halt_on_nonfinite = false, instruments = false;
  uint64_t instruments_every = 0;
  std::vector<std::string> pins;
};

/// The checkpoint, or the newest whole one of a folder; damaged newer ones are set aside, and it is said.
Result<std::pair<fs::path, Checkpoint>> read_newest(const std::string& place) {
  HW_TRY(fs::path file, newest_checkpoint(place));
  auto checkpoint = read_checkpoint(file);
  if (checkpoint) return std::pair(std::move(file), std::move(*checkpoint));
  const Error damaged = checkpoint.error();
  if (damaged.code != codes::file_syntax || !fs::is_directory(place)) return damaged;
  std::vector<fs::path> aside;
  auto found = find_checkpoints(place);
  for (; !found.empty(); found.pop_back()) {
    checkpoint = read_checkpoint(found.back().file);
    if (checkpoint) break;
    aside.push_back(found.back().file);
  }
  if (!checkpoint) return damaged;
  for (const fs::path& bad : aside) {
    std::error_code ec;
    fs::rename(bad, bad.string() + ".damaged", ec);
    std::fprintf(stderr, "note: %s is damaged; it is kept as %s.damaged, and the run goes on from step %llu\n",
                 bad.c_str(), bad.filename().c_str(), static_cast<unsigned long long>(checkpoint->step));
  }
  return std::pair(std::move(found.back().file), std::move(*checkpoint));
}

/// Where a resumed run starts, and the options it takes over from the checkpoint.
Status resume(Options& o, TrainingRequest& request) {
  HW_TRY(auto newest, read_newest(o.resume));
  const fs::path file = std::move(newest.first);
  Checkpoint checkpoint = std::move(newest.second);
  const auto given = static_cast<uint64_t>(o.seed);
  if (o.seed >= 0 && given != checkpoint.seed) {
    return Error{codes::bad_usage, "--seed " + std::to_string(o.seed),
                 "the checkpoint was made with seed " + std::to_string(checkpoint.seed) + ".", "Leave --seed out."};
  }
  o.seed = static_cast<int64_t>(checkpoint.seed);
  const uint64_t end = o.steps ? o.steps : checkpoint.steps;
  if (end <= checkpoint.step) {
    return Error{
        codes::bad_usage, file.string(),
        "this checkpoint already is at step " + std::to_string(checkpoint.step) + " of " + std::to_string(end) + ".",
        "Ask for more with --steps."};
  }
  request.steps = end - checkpoint.step;
  if (!o.checkpoint_every) o.checkpoint_every = checkpoint.every;
  if (o.out.empty()) o.out = fs::is_directory(o.resume) ? o.resume : file.parent_path().string();
  if (o.out.empty()) o.out = ".";
  request.checkpoint = std::make_shared<const Checkpoint>(std::move(checkpoint));
  return ok();
}

/// Whether the run goes on in the folder that holds the checkpoint it goes on from.
bool resumes_in(const Options& o) {
  if (o.resume.empty()) return false;
  const fs::path from = fs::is_directory(o.resume) ? fs::path(o.resume) : fs::path(o.resume).parent_path();
  std::error_code ec;
  return fs::equivalent(from.empty() ? fs::path(".") : from, o.out, ec);
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

void print_summary(const Options& o, const TrainOutcome& outcome) {
  const RunSnapshot& s = *outcome.result.last;
  std::printf("%s%llu step%s in %.1f s, loss %.4e", outcome.result.interrupted ? "stopped: " : "",
              static_cast<unsigned long long>(s.step), s.step == 1 ? "" : "s", s.seconds, mean_loss(*s.losses));
  if (outcome.psnr.db) std::printf(", PSNR %.2f dB", *outcome.psnr.db);
  for (const auto& [id, value] : s.metrics) std::printf(", %s %.4f", id.c_str(), value);
  std::printf(", %s samples/s\n%s: weights.safetensors, loss.csv, report.json%s\n",
              short_count(s.samples_per_s).c_str(), o.out.c_str(), s.instruments ? ", gradients.csv" : "");
}

int train(Options o) {
  auto loaded = load_graph(o);
  if (!loaded) return report(loaded.error());
  Graph& graph = loaded->graph;
  if (const Status pinned = apply_pins(graph, o.pins); !pinned) return report(pinned.error());
  const auto trainer = find_trainer(graph);
  if (!trainer) return report(trainer.error());
  TrainingRequest request;
  request.steps = o.steps;
  if (!o.resume.empty()) {
    if (const Status resumed = resume(o, request); !resumed) return report(resumed.error());
  }
  if (o.out.empty()) o.out = "out";
  if (o.seed >= 0) {
    const auto set = apply_edits(graph, {SetParam{*trainer, "seed", o.seed}});
    if (!set) return report(set.error());
  }
  if (report_blocking(graph, *trainer)) return kGraphErrors;
  report_warnings(*loaded);
  if (const auto device = choose_device(o.device); !device) return report(device.error());
  if (const Status made = prepare_folder(o.out); !made) return report(made.error());
  if (o.threads > 0) set_thread_count(o.threads);

  request.graph = graph;
  request.assets = loaded->assets;
  request.device = o.device;
  request.halt_on_nonfinite = o.halt_on_nonfinite;
  if (o.instruments || o.instruments_every > 0) {
    request.instruments.emplace();
    request.instruments->every = o.instruments_every;
  }
  if (!o.weights.empty()) {
    auto weights = load_weights(o.weights, graph);
    if (!weights) return report(weights.error());
    request.weights = *weights;
  }
  std::optional<CheckpointWriter> writer;
  if (o.checkpoint_every > 0) {
    // Checkpoints in another folder than the one that is resumed are another run's.
    const uint64_t start = resumes_in(o) ? request.checkpoint->step : 0;
    if (const Status free = check_checkpoint_folder(o.out, start); !free) return report(free.error());
    writer.emplace(o.out, start);
    request.checkpoint_every = o.checkpoint_every;
    request.checkpoint_sink = [&](std::shared_ptr<const Checkpoint> c) { writer->write(std::move(c)); };
  }
  const TrainingResult result = train_to_end(std::move(request));
  const RunSnapshot& s = *result.last;
  for (const std::string& note : s.notes) std::fprintf(stderr, "note: %s\n", note.c_str());
  const Status kept = writer ? writer->finish() : ok();
  if (!kept) report(kept.error());
  if (s.error) report(*s.error);
  if (s.bad_value) std::fprintf(stderr, "%s", to_string(*s.bad_value).c_str());
  if (s.losses->empty() && !s.bad_value) {
    if (s.error) return exit_code(*s.error);
    std::fprintf(stderr, "stopped before the first step; nothing was written\n");
    return kDone;
  }
  TrainOutcome outcome{o.graph, o.device, graph, *trainer, train_settings(*graph.find(*trainer)), result};
  if (!s.error) {
    const auto psnr = psnr_of(outcome, loaded->assets);
    // A picture that cannot be judged does not cost the training its results.
    if (psnr) {
      outcome.psnr = *psnr;
    } else {
      report(psnr.error());
      outcome.psnr.of = "none: the Image View cannot be compared with its picture";
    }
  }
  const std::vector<Error> unwritten = write_results(outcome, o.out);
  for (const Error& error : unwritten) report(error);
  if (s.error) {
    if (s.instruments) print_verdicts(*s.instruments);
    return exit_code(*s.error);
  }
  if (!unwritten.empty()) return exit_code(unwritten.front());
  print_summary(o, outcome);
  print_transfers(s.transfers);
  if (s.instruments) {
    print_instruments(*s.instruments);
    print_verdicts(*s.instruments);
  }
  return kept ? static_cast<int>(kDone) : exit_code(kept.error());
}

}  // namespace

void add_train(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("train", "Train a graph; Ctrl-C stops and keeps what there is");
  auto o = std::make_shared<Options>();
  add_graph_options(*command, *o);
  command
      ->add_option("--steps", o->steps,
                   "Length of the run, the part before --resume included; default: the Train node's")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1'000'000'000}));
  add_device(*command, o->device);
  command->add_option("--seed", o->seed, "Instead of the Train node's")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 53));
  command->add_option("--pin", o->pins, "NODE=DEVICE: this node runs there; may be repeated")->allow_extra_args(false);
  CLI::Option* weights = command->add_option("--weights", o->weights, "Begin with these weights (.safetensors)");
  command->add_option("--threads", o->threads, "CPU threads; default: all cores")->check(CLI::Range(1, 1024));
  command->add_option("--out", o->out, "Folder for the results; made when missing; default: out, or that of --resume");
  command->add_option("--checkpoint-every", o->checkpoint_every, "Steps between checkpoints in --out; the last 2 stay")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1'000'000'000}));
  command->add_option("--resume", o->resume, "Go on from a checkpoint, or from the newest in this folder")
      ->excludes(weights);
  command->add_flag(
      "--halt-on-nonfinite", o->halt_on_nonfinite,
      "Look at every value of every step; stop at the first Inf or NaN and say where it came from. Slower");
  command->add_flag(
      "--instruments", o->instruments,
      "Look at every wire and parameter, forward and gradient, in as many steps as cost at most 5 % of the "
      "time, beside the first and the last; a table at the end, all of it in report.json, and in gradients.csv how "
      "large gradients and updates were");
  command
      ->add_option("--instruments-every", o->instruments_every,
                   "The same in every so many steps, whatever it costs; 1: all Inf and NaN of the run are counted")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1'000'000'000}));
  command->callback([o, &chosen] { chosen = [o] { return train(*o); }; });
}

}  // namespace hw::cli
