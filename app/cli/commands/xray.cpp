// xray: a graph beside its f64 shadow: per value the error its node introduced and the error it inherited.
#include "engine/precision/xray.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "app/checks.h"
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
#include "engine/core/place_text.h"
#include "engine/plan/train_settings.h"
#include "engine/train/bad_value.h"

namespace hw::cli::xray_command {
namespace {

using nlohmann::ordered_json;

struct Options : GraphRequest {
  std::string device = "cpu", shadow = "cpu";
  WeightsChoice weights;
  std::vector<std::string> inputs;
  uint64_t steps = 0;
  int64_t seed = -1;
  size_t worst = 3;
  bool masters = false, json = false;
};

/// null where it is not finite: JSON has no such numbers.
ordered_json to_json(const RoundingError& e) {
  return {{"max_ulps", e.max_ulps},
          {"mean_ulps", e.mean_ulps},
          {"relative", e.relative},
          {"max_relative", e.max_relative},
          {"bits_left", e.bits_left},
          {"not_finite", e.not_finite},
          {"not_finite_on_both", e.not_finite_on_both}};
}

ordered_json to_json(const std::vector<XrayElement>& elements, const Dims& dims) {
  ordered_json list = ordered_json::array();
  for (const XrayElement& e : elements) {
    ordered_json inputs = ordered_json::array();
    for (const auto& [name, value] : e.inputs) inputs.push_back({{"name", name}, {"value", value}});
    list.push_back({{"index", e.index},
                    {"place", place_text(e.index, dims)},
                    {"value", e.value},
                    {"reference", e.reference},
                    {"ulps", e.error.ulps},
                    {"relative", e.error.relative},
                    {"inputs", inputs}});
  }
  return list;
}

ordered_json to_json(const XrayReport& r) {
  ordered_json j{{"mode", r.training ? "training" : "evaluation"},
                 {"device", r.device},
                 {"shadow", r.shadow + " f64"},
                 {"seed", r.seed},
                 {"step", r.step},
                 {"values", ordered_json::array()}};
  for (const XrayItem& i : r.items) {
    j["values"].push_back({{"node", i.node},
                           {"name", i.name},
                           {"op", i.op},
                           {"pass", i.backward ? "backward" : "forward"},
                           {"dtype", name(i.dtype)},
                           {"dims", i.dims},
                           {"gradient_scale", i.gradient_scale},
                           {"introduced", to_json(i.introduced)},
                           {"inherited", to_json(i.inherited)},
                           {"total", to_json(i.total)},
                           {"bits_lost", i.bits_lost},
                           {"causes", i.causes},
                           {"worst_introduced", to_json(i.worst_introduced, i.dims)},
                           {"worst_total", to_json(i.worst_total, i.dims)}});
  }
  j["worst"] = r.worst ? ordered_json(*r.worst) : ordered_json();
  j["remedy"] = r.remedy.empty() ? ordered_json() : ordered_json(r.remedy);
  j["steepest"] = r.steepest ? ordered_json(*r.steepest) : ordered_json();
  return j;
}

std::string shown_name(const XrayItem& i) {
  return i.name.empty() ? "(" + i.op + ")" : i.name;
}

std::string relative(const RoundingError& e) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g%s", e.relative, e.has_not_finite() ? " !" : "");
  return text;
}

/// How a gradient is stored, where that is not as it is.
std::string scale_text(const XrayItem& i) {
  if (i.gradient_scale == 1) return "";
  char text[32];
  std::snprintf(text, sizeof text, "  × %.6g", i.gradient_scale);
  return text;
}

void print(const std::vector<XrayElement>& elements, const XrayItem& item, const char* against) {
  for (const XrayElement& e : elements) {
    std::printf("    %s is %.9g, %s %.9g: %.3g ULP", place_text(e.index, item.dims).c_str(), e.value, against,
                e.reference, e.error.ulps);
    for (size_t k = 0; k < e.inputs.size(); ++k)
      std::printf("%s%s = %.9g", k ? ", " : "; from ", e.inputs[k].first.c_str(), e.inputs[k].second);
    std::printf("\n");
  }
}

void print(const XrayReport& r) {
  size_t wide_node = 4, wide_name = 5;
  for (const XrayItem& i : r.items) {
    wide_node = std::max(wide_node, i.node.size());
    wide_name = std::max(wide_name, shown_name(i).size());
  }
  std::printf("%s mode on %s, step %llu, seed %llu; shadow: f64 on %s\n\n", r.training ? "training" : "evaluation",
              r.device.c_str(), static_cast<unsigned long long>(r.step), static_cast<unsigned long long>(r.seed),
              r.shadow.c_str());
  const auto line = [&](const std::string& node, const std::string& value) {
    std::printf("%-*s  %-*s  ", static_cast<int>(wide_node), node.c_str(), static_cast<int>(wide_name), value.c_str());
  };
  line("", "");
  std::printf("               introduced             inherited      bits left\n");
  line("node", "value");
  std::printf("pass  dtype     ULP max  relative    ULP max  relative  of\n");
  for (size_t k = 0; k < r.items.size(); ++k) {
    const XrayItem& i = r.items[k];
    line(i.node, shown_name(i));
    std::printf("%-4s  %-6s %10.3g  %-9s %9.3g  %-9s %4.1f %2d%s%s%s\n", i.backward ? "back" : "fwd",
                std::string(name(i.dtype)).c_str(), i.introduced.max_ulps, relative(i.introduced).c_str(),
                i.inherited.max_ulps, relative(i.inherited).c_str(), i.total.bits_left, significand_bits(i.dtype),
                scale_text(i).c_str(), r.worst == k ? "  << worst introduced" : "",
                r.steepest == k ? "  << most bits lost" : "");
  }
  std::printf("\nrelative: norm of the error by norm of the tensor; !: there are Inf or NaN, on one side or both\n");
  const auto scaled = [](const XrayItem& i) { return i.gradient_scale != 1; };
  if (std::any_of(r.items.begin(), r.items.end(), scaled))
    std::printf("× : the gradient is stored so many times the true one; its values below are as stored\n");
  if (r.worst) {
    const XrayItem& i = r.items[*r.worst];
    if (i.introduced.not_finite > 0)
      std::printf("\nfirst Inf or NaN: %lld of %lld elements of %s of %s (%s), which are finite in f64\n",
                  static_cast<long long>(i.introduced.not_finite), static_cast<long long>(element_count(i.dims)),
                  shown_name(i).c_str(), i.node.c_str(), i.op.c_str());
    else
      std::printf("\nworst introduced error: %s of %s (%s), relative %s\n", shown_name(i).c_str(), i.node.c_str(),
                  i.op.c_str(), relative(i.introduced).c_str());
    print(i.worst_introduced, i, "f64 on the same inputs");
    if (!r.remedy.empty()) std::printf("    %s\n", r.remedy.c_str());
  }
  std::set<std::string> said;
  for (const XrayItem& i : r.items)
    for (const std::string& cause : i.causes)
      if (said.insert(i.node + cause).second) std::printf("\nlost number in %s: %s\n", i.node.c_str(), cause.c_str());
  if (r.steepest && r.steepest != r.worst) {
    const XrayItem& i = r.items[*r.steepest];
    std::printf("\nmost bits lost: %s of %s (%s), %.1f bits\n", shown_name(i).c_str(), i.node.c_str(), i.op.c_str(),
                i.bits_lost);
    print(i.worst_total, i, "the shadow");
  }
}

/// Trains first; what follows sees the states and the step after it. The exit code: a signal ends the training alone.
Result<int> train_before(const Options& o, const OpenGraph& loaded, XrayOptions& options) {
  HW_TRY(const std::string trainer, find_trainer(loaded.graph));
  TrainingRequest request;
  request.graph = loaded.graph;
  request.assets = loaded.assets;
  request.device = o.device;
  request.steps = o.steps;
  request.given = options.given;
  request.weights = std::exchange(options.weights, nullptr);
  std::shared_ptr<const Checkpoint> last;
  request.checkpoint_every = o.steps;
  request.checkpoint_sink = [&](std::shared_ptr<const Checkpoint> checkpoint) { last = std::move(checkpoint); };
  const TrainingResult result = train_to_end(std::move(request));
  if (result.last->error) return *result.last->error;
  if (!last) return Error{codes::cancelled, "", "stopped before the first step.", ""};
  options.states = last->states;
  const auto batches = static_cast<uint64_t>(train_settings(*loaded.graph.find(trainer)).accumulate);
  options.step = last->step * batches;
  return exit_of(result);
}

int xray(const Options& o) {
  auto loaded = noted(open_graph, o);
  if (!loaded) return report(loaded.error());
  Graph& graph = loaded->graph;
  auto given = noted(read_given, graph, o.inputs, o.option_names.input);
  if (!given) return report(given.error());
  fit_inputs(graph, *given);
  const auto trainer = find_trainer(graph);
  if (trainer ? report_blocking(graph, loaded->document, *trainer) : report_blocking_instances(*loaded))
    return kGraphErrors;
  if (const auto device = choose_device(o.device); !device) return report(device.error());
  noted(note_file_warnings, *loaded, std::vector<std::string>());
  XrayOptions options;
  auto values = noted(as_wires, graph, std::move(*given));
  if (!values) return report(values.error());
  options.given = std::move(*values);
  options.device = o.device;
  options.shadow = o.shadow;
  options.masters = o.masters;
  options.worst = o.worst;
  if (o.seed >= 0) options.seed = static_cast<uint64_t>(o.seed);
  if (trainer && o.seed >= 0) {
    if (const auto set = apply_edits(graph, {SetParam{*trainer, "seed", o.seed}}); !set) return report(set.error());
  }
  const auto weights =
      o.steps ? noted(load_weights_to_train, *loaded, o.weights) : noted(load_weights_beside, *loaded, o.weights);
  if (!weights) return report(weights.error());
  options.weights = *weights;
  options.partial_weights = o.weights.partial;
  int exit = kDone;
  if (o.steps) {
    const auto trained = train_before(o, *loaded, options);
    if (!trained) return report(trained.error());
    exit = *trained;
  }
  Result<XrayReport> result = Error{};
  {
    const StopOnSignal stop;
    ProgressLine line;
    options.cancel = &StopOnSignal::asked();
    options.progress = [&](double share, const std::string& what) { line.show(share, what); };
    result = hw::xray(graph, *loaded->assets, options);
  }
  if (!result) return report(result.error());
  if (o.json) {
    print_json(to_json(*result));
  } else {
    print(*result);
  }
  return exit;
}

}  // namespace

void add(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand(kXrayCheck.command, kXrayCheck.summary);
  auto o = std::make_shared<Options>();
  add_graph_options(*command, *o);
  add_weights(*command, o->weights, kWeightsBesideHelp);
  add_inputs(*command, o->inputs);
  command->add_option("--steps", o->steps, "Train so many steps first")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1'000'000'000}));
  command->add_option("--seed", o->seed, "Instead of the Train node's")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 53));
  command->add_flag("--masters", o->masters, "The shadow's weights are the masters, not the stored, rounded ones");
  command->add_option("--worst", o->worst, "Elements listed a value")
      ->capture_default_str()
      ->check(CLI::Range(size_t{0}, size_t{1000}));
  add_device(*command, o->device, "What the graph runs on; see halfwire-cli devices");
  command->add_option("--shadow", o->shadow, "What computes in f64: cpu, or ref (slow, formulas of its own)")
      ->capture_default_str();
  add_json(*command, o->json, "All values and worst elements as JSON; null: not finite");
  command->callback([o, &chosen] { chosen = [o] { return xray(*o); }; });
}

}  // namespace hw::cli::xray_command
