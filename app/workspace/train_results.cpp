#include "app/workspace/train_results.h"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "app/workspace/instrument_results.h"
#include "app/workspace/json.h"
#include "app/workspace/set_aside.h"
#include "app/workspace/viewers.h"
#include "app/workspace/weights_beside.h"
#include "engine/io/checkpoint/checkpoint_file.h"
#include "engine/io/file/atomic_file.h"
#include "engine/io/file/file_bytes.h"
#include "engine/train/bad_value.h"

namespace hw::workspace {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;
constexpr size_t kAveraged = 20;  // steps that the reported loss is averaged over

/// Whether a run that failed has weights of before that.
bool is_left_by_failure(const RunSnapshot& s) {
  return s.error && s.weights && s.weights_step > 0;
}

ordered_json make_report(const TrainOutcome& o, const std::vector<Error>& errors) {
  const RunSnapshot& s = *o.result.last;
  ordered_json j{{"graph", o.graph_file},
                 {"device", o.device},
                 {"seed", o.settings.seed},
                 {"steps", s.step},
                 {"interrupted", o.result.interrupted},
                 {"seconds", s.seconds},
                 {"wall_seconds", o.result.wall_seconds},
                 {"samples_per_s", s.samples_per_s},
                 {"memory_bytes", s.memory_bytes},
                 {"final_loss", s.loss},
                 {"final_loss_is", "of the last training step's batches, before its update"},
                 {"mean_loss", mean_loss(*s.losses)},
                 {"mean_loss_is", mean_loss_over(*s.losses)},
                 {"mean_over_steps", std::min(kAveraged, s.losses->size())}};
  j["learning_rate"] = s.learning_rate;
  if (s.loss_scales) {
    j["loss_scale"] = s.loss_scale;
    j["skipped_steps"] = skipped_steps(s);
  }
  j["psnr"] = o.psnr.db ? ordered_json(*o.psnr.db) : ordered_json();
  j["psnr_is"] = o.psnr.of;
  // "accuracy" and the like: the first node of a type; all of them by node.
  const std::map<std::string, double> none;
  for (const auto& [id, value] : s.measured ? s.measured->numbers : none) {
    if (const Node* node = o.graph.find(id); node && !j.contains(node->type)) j[node->type] = value;
    j["metrics"][id] = value;
  }
  if (s.measured) {
    if (s.measured->loss) j[std::string(name(s.measured->split)) + "_loss"] = *s.measured->loss;
    j["metrics_are"] = metrics_over(s);
    j["metrics_step"] = s.measured->step;
    j["metrics_samples"] = s.measured->samples;
  }
  if (s.best) j["best_validation"] = {{"loss", s.best->loss}, {"step", s.best->step}};
  j["nodes"] = ordered_json::object();
  for (const auto& [id, ms] : s.node_ms) {
    const Node* node = o.graph.find(id);
    ordered_json n{{"type", node ? node->type : ""}, {"ms_per_step", ms}};
    if (node && !node->device.empty()) n["device"] = node->device;
    if (const auto kernel = s.node_kernels.find(id); kernel != s.node_kernels.end()) {
      n["kernels"] = to_json(kernel->second);
    }
    if (const auto memory = s.node_memory.find(id); memory != s.node_memory.end()) {
      n["output_bytes"] = memory->second.outputs;
      n["parameter_bytes"] = memory->second.parameters;
    }
    j["nodes"][id] = std::move(n);
  }
  if (!s.transfers.empty()) {
    j["transfers"] = ordered_json::array();
    for (const TransferReading& t : s.transfers) {
      j["transfers"].push_back({{"value", t.value},
                                {"node", t.node},
                                {"from", t.from},
                                {"to", t.to},
                                {"bytes_per_step", t.bytes},
                                {"ms_per_step", t.ms}});
    }
  }
  const bool averaged = o.settings.ema_decay > 0 && o.settings.use_averaged;
  j["weights_are"] = s.error    ? "none: the run failed before a step was done"
                     : averaged ? "averaged (ema_decay)"
                                : "those of the last step";
  if (is_left_by_failure(s))
    j["weights_are"] = "those after step " + std::to_string(s.weights_step) + ", the last sound ones: the run failed";
  if (!s.error && s.best && s.weights_step == s.best->step && s.weights_step != s.step)
    j["weights_are"] = "those of step " + std::to_string(s.best->step) + ", of the lowest validation loss" +
                       (averaged ? ", averaged (ema_decay)" : "");
  j["notes"] = s.notes;
  if (s.instruments) j["gradients"] = gradients_json(*s.instruments);
  if (s.instruments) j["instruments"] = instruments_json(*s.instruments);
  if (s.bad_value) j["first_bad_value"] = to_json(*s.bad_value);
  j["errors"] = ordered_json::array();
  for (const Error& error : errors) j["errors"].push_back(to_json(error));
  return j;
}

/// A line a step: what was known of it then. A metric stands at the step after which it was measured.
std::string loss_csv(const RunSnapshot& s) {
  static const RunHistory kNothing;
  const RunHistory& history = s.history ? *s.history : kNothing;
  // By column: "accuracy" on the test split, "validation.accuracy" on the other.
  const auto column = [](Split split, const std::string& id) {
    return split == Split::test ? id : std::string(name(split)) + "." + id;
  };
  std::set<std::string> metrics;
  std::map<uint64_t, std::map<std::string, double>> measured;
  for (const RunHistory::Metrics& m : history.metrics) {
    std::map<std::string, double>& here = measured[m.step];
    for (const auto& [id, value] : m.values) here[column(m.split, id)] = value;
    if (m.loss) here[std::string(name(m.split)) + "_loss"] = *m.loss;
    for (const auto& [id, value] : here) metrics.insert(id);
  }
  std::string csv = "step,loss,learning_rate,loss_scale,skipped";
  for (const std::string& id : metrics) csv += "," + id;
  csv += ",seconds\n";
  const auto known = [](const std::vector<float>& values, size_t i) {
    return i < values.size() && std::isfinite(values[i]) ? csv_number(values[i]) : std::string();
  };
  size_t event = 0;
  double scale = 1;
  for (size_t i = 0; i < s.losses->size(); ++i) {
    bool skipped = false;
    if (s.loss_scales && event < s.loss_scales->size() && (*s.loss_scales)[event].step == i) {
      scale = (*s.loss_scales)[event].scale;
      skipped = (*s.loss_scales)[event++].skipped;
    }
    csv += std::to_string(i + 1) + "," + csv_number((*s.losses)[i]) + "," + known(history.learning_rates, i) + "," +
           csv_number(scale) + "," + (skipped ? "1" : "0");
    const auto here = measured.find(i + 1);
    for (const std::string& id : metrics) {
      csv += ",";
      if (here != measured.end() && here->second.contains(id)) csv += csv_number(here->second.at(id));
    }
    csv += "," + known(history.seconds, i) + "\n";
  }
  return csv;
}

/// The largest value that may come into a socket, through casts; none: it is not known.
std::optional<double> peak_of(const Graph& graph, const std::string& node, const std::string& socket) {
  const auto links = graph.links_into(node, socket);
  const Node* from = links.empty() ? nullptr : graph.find(links[0].from);
  const NodeType* type = from && !from->bypassed ? Registry::instance().find(from->type) : nullptr;
  if (!type) return {};
  if (type->id == "cast") return peak_of(graph, from->id, "x");
  const SocketDecl* output = type->decl.find_output(links[0].from_socket);
  return output ? output->peak : std::nullopt;
}

constexpr const char* kWeights = "weights.safetensors";
constexpr const char* kReport = "report.json";  // written last
constexpr uint64_t kMostReport = uint64_t{1} << 30;
constexpr const char* kTexts[] = {"loss.csv", kReport, "gradients.csv"};

/// What a training may write.
std::vector<std::string> result_names() {
  std::vector<std::string> names{kWeights, optimiser_file(kWeights).string()};
  names.insert(names.end(), std::begin(kTexts), std::end(kTexts));
  return names;
}

}  // namespace

Status prepare_folder(const fs::path& folder, const std::string& option) {
  const std::string another = "ame another folder" + (option.empty() ? "" : " with " + option) + ".";
  std::error_code ec;
  fs::create_directories(folder, ec);
  if (ec) return Error{codes::file_unwritable, folder.string(), ec.message() + ".", "N" + another};
  const fs::path probe = folder / ".halfwire-probe";
  Status written = write_file_atomically(probe, "can results be kept here?\n");
  if (!written) {
    Error error = written.error();
    error.where = folder.string();
    error.remedy += " Or n" + another;
    return error;
  }
  fs::remove(probe, ec);
  for (const std::string& name : result_names())
    if (fs::is_directory(folder / name, ec))
      return Error{codes::file_unwritable, (folder / name).string(), "a folder is called like a result.",
                   "Move it away, or n" + another};
  return ok();
}

Result<std::vector<std::string>> set_results_aside(const fs::path& folder) {
  return workspace::set_aside(folder, result_names());
}

bool has_results(const fs::path& folder, const fs::path& checkpoint, uint64_t step) {
  std::error_code ec;
  const auto made = fs::last_write_time(checkpoint, ec);
  for (const char* file : {kWeights, kReport}) {
    const auto written = ec ? fs::file_time_type::min() : fs::last_write_time(folder / file, ec);
    if (ec || written < made) return false;
  }
  const auto text = read_file_bytes(folder / kReport, kMostReport);
  if (!text) return false;
  const auto report = ordered_json::parse(*text, nullptr, false);
  const auto steps = report.is_object() ? report.find("steps") : report.end();
  return report.is_object() && steps != report.end() && steps->is_number_unsigned() && *steps == step;
}

std::string csv_number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

double mean_loss(const std::vector<float>& losses) {
  const size_t n = std::min(kAveraged, losses.size());
  if (n == 0) return std::nan("");
  return std::accumulate(losses.end() - static_cast<std::ptrdiff_t>(n), losses.end(), 0.0) / static_cast<double>(n);
}

std::string mean_loss_over(const std::vector<float>& losses) {
  const size_t n = std::min(kAveraged, losses.size());
  return n == 1 ? "of the only training step" : "mean of the last " + std::to_string(n) + " training steps";
}

std::string metrics_over(const RunSnapshot& s) {
  const Measurement& m = *s.measured;
  const std::string samples = m.samples == 1 ? "the only sample" : "all " + std::to_string(m.samples) + " samples";
  return "over " + samples + " of the " + std::string(name(m.split)) +
         " split, in evaluation mode, measured after step " + std::to_string(m.step) + " of " + std::to_string(s.step);
}

Result<Psnr> psnr_of(const TrainOutcome& o, const std::shared_ptr<Assets>& assets) {
  const RunSnapshot& s = *o.result.last;
  HW_TRY(const std::optional<double> whole, image_view_psnr(o.graph, assets, o.device, s.weights));
  if (whole)
    return Psnr{*whole, "the Image View's field against its picture, all pixels, sRGB-encoded, peak 1, after step " +
                            std::to_string(s.weights_step)};
  const auto links = o.graph.links_into(o.trainer, "loss");
  const Node* source = links.empty() ? nullptr : o.graph.find(links[0].from);
  const auto peak = source && source->type == "mse" ? peak_of(o.graph, source->id, "target") : std::nullopt;
  if (!peak) return Psnr{{}, "none: the loss is no MSE against values of a known peak, such as colours"};
  const double loss = mean_loss(*s.losses);
  if (!(loss > 0)) return Psnr{{}, "none: the loss is 0"};
  return Psnr{10 * std::log10(*peak * *peak / loss),
              "of the training loss, " + mean_loss_over(*s.losses) + ", peak " + csv_number(*peak)};
}

TrainFiles write_results(const TrainOutcome& o, const fs::path& folder) {
  const RunSnapshot& s = *o.result.last;
  TrainFiles files;
  std::vector<Error> errors;
  if (s.error) errors.push_back(*s.error);
  const auto keep = [&](const fs::path& file, const Status& status) {
    if (status) return files.written.push_back(file);
    errors.push_back(status.error());
    files.unwritten.push_back(status.error());
  };
  const auto set_aside_here = [&](std::vector<std::string> names) -> bool {
    const auto aside = workspace::set_aside(folder, std::move(names));
    if (aside) return true;
    errors.push_back(aside.error());
    files.unwritten.push_back(aside.error());
    return false;
  };
  const std::string optimiser = optimiser_file(kWeights).string();
  // After a failed run, so that older weights in its folder are not taken for its own.
  const bool free = !s.error || set_aside_here({kWeights, optimiser});
  if (free && (!s.error || is_left_by_failure(s))) {
    std::map<std::string, std::string> more{{"step", std::to_string(s.weights_step)}};
    if (!s.class_names.empty()) more[kClassNames] = ordered_json(s.class_names).dump();
    const WeightsFile weights = weights_to_save(o.graph, s.weights ? *s.weights : Weights(), std::move(more));
    const fs::path file = folder / kWeights;
    const Status saved = save_weights(weights, file);
    keep(file, saved);
    // So that the state that an earlier run's optimiser left is not taken for that of other weights.
    if (saved && set_aside_here({optimiser}) && o.result.states)
      keep(optimiser_file(file), save_optimiser(*o.result.states, weights, file));
  }
  const auto keep_text = [&](const fs::path& file, const std::string& text) {
    keep(file, write_file_atomically(file, text));
  };
  keep_text(folder / "loss.csv", loss_csv(s));
  if (s.instruments) keep_text(folder / "gradients.csv", gradients_csv(*s.instruments->gradients));
  files.report = make_report(o, errors);
  keep_text(folder / kReport, files.report.dump(2) + "\n");
  return files;
}

}  // namespace hw::workspace
