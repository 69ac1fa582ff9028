// train: trains a graph; writes weights.safetensors, loss.csv and report.json.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numeric>

#include "app/cli/commands.h"
#include "app/cli/report.h"
#include "app/cli/training.h"
#include "engine/core/parallel.h"
#include "engine/io/graph_file.h"
#include "engine/io/weights_file.h"
#include "engine/run/train_settings.h"

namespace hw::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;
constexpr size_t kAveraged = 20;  // steps that the reported loss is averaged over

struct Options {
  std::string graph, device = "cpu", out = "out", weights;
  uint64_t steps = 0;
  int64_t seed = -1;
  int threads = 0;
  std::vector<std::string> sets;
};

/// Fails before the training rather than after it.
Status make_folder(const fs::path& folder) {
  std::error_code ec;
  fs::create_directories(folder, ec);
  if (!ec && ::access(folder.c_str(), W_OK | X_OK) != 0) ec = std::error_code(errno, std::generic_category());
  if (ec) return Error{codes::file_unwritable, folder.string(), ec.message() + ".", "Name another folder with --out."};
  return ok();
}

/// Mean of the last steps; NaN when there are none.
double mean_loss(const std::vector<float>& losses) {
  const size_t n = std::min(kAveraged, losses.size());
  return std::accumulate(losses.end() - static_cast<std::ptrdiff_t>(n), losses.end(), 0.0) / static_cast<double>(n);
}

/// −10 log10 of the mean loss, when the loss is a mean squared error. Peak 1.
std::optional<double> psnr_of(const Graph& graph, const std::string& trainer, double loss) {
  const auto links = graph.links_into(trainer, "loss");
  const Node* source = links.empty() ? nullptr : graph.find(links[0].from);
  if (!source || source->type != "mse" || !(loss > 0)) return std::nullopt;
  return -10 * std::log10(loss);
}

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

ordered_json make_report(const Options& o, const Graph& graph, const TrainSettings& settings, const TrainingResult& r,
                         std::optional<double> psnr, double loss) {
  const RunSnapshot& s = *r.last;
  ordered_json j{{"graph", o.graph},
                 {"device", o.device},
                 {"seed", settings.seed},
                 {"steps", s.step},
                 {"interrupted", r.interrupted},
                 {"seconds", s.seconds},
                 {"samples_per_s", s.samples_per_s},
                 {"memory_bytes", s.memory_bytes},
                 {"final_loss", s.loss},
                 {"mean_loss", loss},
                 {"mean_over_steps", std::min(kAveraged, s.losses->size())}};
  j["psnr"] = psnr ? ordered_json(*psnr) : ordered_json();
  j["psnr_is"] = "−10 log10(mean_loss), dB, of the training samples, peak 1";
  j["nodes"] = ordered_json::object();
  for (const auto& [id, ms] : s.node_ms) {
    const Node* node = graph.find(id);
    ordered_json n{{"type", node ? node->type : ""}, {"ms_per_step", ms}};
    if (const auto kernel = s.node_kernels.find(id); kernel != s.node_kernels.end()) {
      const KernelInfo& k = kernel->second;
      n["storage"] = name(k.storage);
      n["compute"] = name(k.compute);
      n["accumulate"] = name(k.accumulate);
      n["implementation"] = k.implementation;
    }
    j["nodes"][id] = std::move(n);
  }
  j["notes"] = s.notes;
  return j;
}

Status write_results(const Options& o, const RunSnapshot& s, const ordered_json& report) {
  const fs::path folder(o.out);
  WeightsFile weights;
  if (s.weights) weights.tensors = *s.weights;
  weights.metadata = {{"format", "halfwire"}, {"step", std::to_string(s.weights_step)}};
  HW_CHECK(save_weights(weights, folder / "weights.safetensors"));
  std::string csv = "step,loss\n";
  for (size_t i = 0; i < s.losses->size(); ++i) csv += std::to_string(i + 1) + "," + number((*s.losses)[i]) + "\n";
  HW_CHECK(write_file_atomically(folder / "loss.csv", csv));
  return write_file_atomically(folder / "report.json", report.dump(2) + "\n");
}

int train(const Options& o) {
  auto loaded = load_graph(o.graph);
  if (!loaded) return report(loaded.error());
  Graph& graph = loaded->graph;
  if (const Status set = apply_sets(graph, o.sets); !set) {
    report(set.error());
    return kBadUsage;
  }
  const auto trainer = find_trainer(graph);
  if (!trainer) return report(trainer.error());
  if (o.seed >= 0) {
    const auto set = apply_edits(graph, {SetParam{*trainer, "seed", o.seed}});
    if (!set) return report(set.error());
  }
  if (report_blocking(graph, *trainer)) return kGraphErrors;
  if (const auto device = make_device(o.device); !device) return report(device.error());
  if (const Status made = make_folder(o.out); !made) return report(made.error());
  if (o.threads > 0) set_thread_count(o.threads);

  TrainingRequest request{graph, loaded->assets, o.device, o.steps, "", nullptr};
  if (!o.weights.empty()) {
    auto weights = load_weights(o.weights);
    if (!weights) return report(weights.error());
    request.weights = *weights;
  }
  const auto result = train_to_end(std::move(request));
  if (!result) return report(result.error());
  const RunSnapshot& s = *result->last;
  for (const std::string& note : s.notes) std::fprintf(stderr, "note: %s\n", note.c_str());
  if (s.losses->empty()) {
    std::fprintf(stderr, "stopped before the first step; nothing was written\n");
    return kDone;
  }

  const double loss = mean_loss(*s.losses);
  const auto psnr = psnr_of(graph, *trainer, loss);
  const TrainSettings settings = train_settings(*graph.find(*trainer));
  if (const Status w = write_results(o, s, make_report(o, graph, settings, *result, psnr, loss)); !w)
    return report(w.error());
  std::printf("%s%llu steps in %.1f s, loss %.4e", result->interrupted ? "stopped: " : "",
              static_cast<unsigned long long>(s.step), s.seconds, loss);
  if (psnr) std::printf(", PSNR %.2f dB", *psnr);
  std::printf(", %s samples/s\n%s: weights.safetensors, loss.csv, report.json\n", short_count(s.samples_per_s).c_str(),
              o.out.c_str());
  return kDone;
}

}  // namespace

void add_train(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("train", "Train a graph; Ctrl-C stops and keeps what there is");
  auto o = std::make_shared<Options>();
  command->add_option("graph", o->graph, "A .halfwire file")->required();
  command->add_option("--steps", o->steps, "Length of the run; default: the Train node's")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1'000'000'000}));
  command->add_option("--device", o->device, "See halfwire-cli devices")->capture_default_str();
  command->add_option("--seed", o->seed, "Instead of the Train node's")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 53));
  command->add_option("--set", o->sets, "NODE.PARAM=VALUE; may be repeated")->allow_extra_args(false);
  command->add_option("--weights", o->weights, "Begin with these weights (.safetensors)");
  command->add_option("--threads", o->threads, "CPU threads; default: all cores")->check(CLI::Range(1, 1024));
  command->add_option("--out", o->out, "Folder for the results; made when missing")->capture_default_str();
  command->callback([o, &chosen] { chosen = [o] { return train(*o); }; });
}

}  // namespace hw::cli
