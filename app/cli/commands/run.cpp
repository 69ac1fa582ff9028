// run: evaluates wires of a graph, with inputs from and outputs to .npy files.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/cli/commands/commands.h"
#include "app/cli/options/device_choice.h"
#include "app/cli/options/given_inputs.h"
#include "app/cli/options/pass_options.h"
#include "app/cli/options/weights_choice.h"
#include "app/cli/print/json_output.h"
#include "app/cli/print/printable_text.h"
#include "app/cli/print/report.h"
#include "app/cli/print/tensor_json.h"
#include "app/cli/print/tensor_text.h"
#include "app/workspace/assets.h"
#include "app/workspace/evaluate.h"
#include "app/workspace/input_files.h"
#include "engine/io/tensor/npy.h"

namespace hw::cli::run_command {
namespace {

using nlohmann::ordered_json;

struct Options : GraphRequest {
  std::string device = "cpu";
  WeightsChoice weights;
  uint64_t seed = 0;
  std::vector<std::string> inputs, outputs;
  PassesOff passes_off;
  bool json = false;
};

void print(const std::vector<SocketRef>& wanted, const std::vector<Tensor>& values,
           const std::vector<std::string>& files) {
  for (size_t i = 0; i < wanted.size(); ++i) {
    std::printf("%s.%s\n%s", wanted[i].node.c_str(), wanted[i].socket.c_str(), describe(values[i], "  ").c_str());
    if (!files[i].empty()) std::printf("  %s\n", files[i].c_str());
  }
}

ordered_json to_json(const std::vector<SocketRef>& wanted, const std::vector<Tensor>& values,
                     const std::vector<std::string>& files) {
  ordered_json outputs = ordered_json::array();
  for (size_t i = 0; i < wanted.size(); ++i) {
    ordered_json j{{"node", wanted[i].node}, {"socket", wanted[i].socket}, {"file", nullptr}};
    if (!files[i].empty()) j["file"] = files[i];
    j.update(tensor_json(values[i]));
    outputs.push_back(std::move(j));
  }
  return outputs;
}

/// Says where NaN in the results began, unless the inputs hold it. An index outside its axis is an error.
int report_nans(const EvaluationRequest& request, const std::vector<Tensor>& values) {
  const auto bad = find_first_nan(request, values);
  if (!bad) return kDone;
  const Error error = to_error(*bad);
  if (bad->op.starts_with("gather")) return report(error);
  std::fprintf(stderr, "warning: %s\n", printable_text(error.text()).c_str());
  return kDone;
}

int run(const Options& o) {
  if (const Status s = check_passes(o.passes_off); !s) return report(s.error());
  const auto loaded = noted(open_graph, o);
  if (!loaded) return report(loaded.error());
  Graph graph = loaded->graph;
  auto read = input_files(*loaded, o.weights.file);
  auto given = noted(read_given, graph, o.inputs, o.option_names.input);
  if (!given) return report(given.error());
  for (const GivenInput& input : *given) read.emplace_back(input.file);
  fit_inputs(graph, *given);
  std::vector<SocketRef> wanted;
  std::vector<std::string> files;
  std::error_code ignored;
  for (const std::string& text : o.outputs) {
    const size_t equals = text.find('=');
    const std::string name = text.substr(0, equals), file = equals == text.npos ? "" : text.substr(equals + 1);
    if (equals != text.npos && file.empty())
      return report(
          Error{codes::bad_usage, "--output " + text, "expected NODE.SOCKET=FILE.npy.", "For example: cast.y=y.npy"});
    const auto socket = noted(find_computable, graph, loaded->document, name, o.option_names);
    if (!socket) return report(socket.error());
    if (const Status s = refuse_overwrite(file, read); !s) return report(s.error());
    const auto is_same = [&](const std::string& other) {  // under any name
      const auto full = [&](const std::string& path) {
        return std::filesystem::weakly_canonical(std::filesystem::absolute(path, ignored), ignored);
      };
      return full(other) == full(file);
    };
    if (!file.empty() && std::ranges::any_of(files, is_same))
      return report(Error{codes::bad_usage, "--output " + text, "another --output is written to this file.",
                          "Choose another name."});
    wanted.push_back(*socket);
    files.push_back(file);
  }
  std::vector<std::string> nodes;
  for (const SocketRef& socket : wanted) nodes.push_back(socket.node);
  noted(note_file_warnings, *loaded, nodes);
  noted(note_examples, graph, wanted, *given, o.option_names.input);
  auto inputs = noted(as_wires, graph, std::move(*given));
  if (!inputs) return report(inputs.error());
  const auto weights = noted(load_weights_or_initial, *loaded, o.weights, "the values are the untrained network's");
  if (!weights) return report(weights.error());
  const EvaluationRequest request{.graph = std::move(graph),
                                  .assets = loaded->assets,
                                  .wires = wanted,
                                  .device = o.device,
                                  .given = std::move(*inputs),
                                  .weights = *weights,
                                  .partial_weights = o.weights.partial,
                                  .seed = o.seed,
                                  .passes_off = o.passes_off,
                                  .option_names = o.option_names};
  const auto values = noted(evaluate, request);
  if (!values) return report(values.error());
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (files[i].empty()) continue;
    if (const Status saved = save_npy((*values)[i], files[i]); !saved) return report(saved.error());
  }
  if (o.json)
    print_json(
        {{"graph", o.graph}, {"device", o.device}, {"seed", o.seed}, {"outputs", to_json(wanted, *values, files)}});
  else
    print(wanted, *values, files);
  return report_nans(request, *values);
}

}  // namespace

void add(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("run", "Evaluate wires of a graph once (dropout off)");
  auto o = std::make_shared<Options>();
  add_graph_options(*command, *o);
  add_inputs(*command, o->inputs);
  command->add_option("--output", o->outputs, "NODE.SOCKET[=FILE.npy]: a wire to compute; may be repeated")
      ->required()
      ->allow_extra_args(false);
  add_weights(*command, o->weights, kWeightsBesideHelp);
  add_device(*command, o->device);
  add_no_pass(*command, o->passes_off);
  command->add_option("--seed", o->seed, "Of samples and initial weights")
      ->check(CLI::Range(uint64_t{0}, uint64_t{1} << 53))
      ->capture_default_str();
  add_pins(*command, o->pins);
  add_json(*command, o->json, "Statistics of the wires as JSON on stdout");
  command->callback([o, &chosen] { chosen = [o] { return run(*o); }; });
}

}  // namespace hw::cli::run_command
