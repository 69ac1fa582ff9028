// import: a model of ONNX as a graph, with its weights beside it.
#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdio>
#include <filesystem>

#include "app/cli/commands/commands.h"
#include "app/cli/print/json_output.h"
#include "app/cli/print/report.h"
#include "app/interop/onnx/example_sizes.h"
#include "app/interop/onnx/group_scopes.h"
#include "app/interop/onnx/lay_out_nodes.h"
#include "app/workspace/input_files.h"
#include "app/workspace/weights_beside.h"
#include "engine/graph/groups/flatten.h"
#include "engine/io/graph/graph_file.h"

namespace hw::cli::import_command {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

struct Options {
  std::string model, out;
  std::vector<std::string> sizes;
  bool json = false, flat = false;
};

/// "batch=1" … as sizes by symbol.
Result<std::map<std::string, int64_t>> parse_sizes(const std::vector<std::string>& words) {
  std::map<std::string, int64_t> sizes;
  for (const std::string& word : words) {
    const size_t equals = word.rfind('=');
    int64_t size = 0;
    const char *begin = word.data() + std::min(equals, word.size() - 1) + 1, *end = word.data() + word.size();
    const auto read = std::from_chars(begin, end, size);
    if (equals == word.npos || equals == 0 || read.ec != std::errc() || read.ptr != end ||
        !interop::size_problem(static_cast<double>(size)).empty())
      return Error{codes::bad_usage, "--size " + word,
                   "expected NAME=SIZE, a whole number from 1 to " + std::to_string(interop::kMostSize) + ".",
                   "For example: --size batch=1,height=224"};
    if (!sizes.emplace(word.substr(0, equals), size).second)
      return Error{codes::bad_usage, "--size " + word, "this size is given twice.", "Give each of them once."};
  }
  return sizes;
}

int import_model(const Options& o) {
  const fs::path out = o.out.empty() ? fs::path(o.model).filename().replace_extension(".halfwire") : fs::path(o.out);
  if (const Status named = check_graph_name(out); !named) return report(named.error());
  for (const fs::path& file : {out, workspace::weights_file(out)})
    if (const Status free = workspace::check_free(file, "-o"); !free) return report(free.error());
  const auto model = interop::read_onnx(o.model);
  if (!model) return report(model.error());
  const auto sizes = parse_sizes(o.sizes);
  if (!sizes) return report(sizes.error());
  auto imported = interop::import_graph(*model, {.given = {}, .sizes = *sizes});
  if (!imported) return report(imported.error());
  if (o.flat)
    interop::lay_out_model(*imported);
  else
    *imported = interop::with_groups(std::move(*imported));
  if (const Status saved = save_graph(imported->graph, out); !saved) return report(saved.error());
  size_t parameters = 0;
  for (const auto& [name, tensor] : imported->weights) parameters += static_cast<size_t>(tensor.size());
  // Moved: a matrix that is turned for the file is not there both ways.
  const WeightsFile weights = workspace::weights_to_save(flatten(imported->graph), std::move(imported->weights));
  if (!weights.tensors.empty())
    if (const Status saved = save_weights(weights, workspace::weights_file(out)); !saved) return report(saved.error());
  if (o.json) {
    ordered_json missing = ordered_json::array();
    for (const auto& m : imported->missing)
      missing.push_back({{"node", m.node}, {"op", m.op}, {"reason", m.reason}, {"follows", m.follows}});
    print_json({{"graph", out.string()},
                {"opset", model->opset},
                {"nodes", imported->nodes.size() + imported->outputs.size()},
                {"groups", imported->graph.groups().size()},
                {"parameters", parameters},
                {"fixed", imported->fixed},
                {"multiples", imported->multiples},
                {"fixed_because", imported->fixed_because},
                {"notes", imported->notes},
                {"dequantized", imported->dequantized},
                {"untied_weights", imported->untied_weights},
                {"missing", missing}});
    return kDone;
  }
  if (const std::string limits = interop::limits_text(*imported); !limits.empty())
    std::printf("note: %s%s\n", limits.c_str(), imported->fixed.empty() ? "" : " import --size takes others");
  if (!imported->missing_at.empty())
    std::printf("note: operators are missing at the sizes %s; others may do: import --size\n",
                interop::sizes_text(imported->missing_at).c_str());
  for (const std::string& note : imported->notes) std::printf("note: %s\n", note.c_str());
  if (imported->dequantized > 0)
    std::printf("note: %zu quantised weights are the floats here that they stand for\n", imported->dequantized);
  for (const auto& [weight, nodes] : imported->untied_weights)
    std::printf("note: \"%s\" is the weight of %s and %s, which train apart from here on\n", weight.c_str(),
                nodes.front().c_str(), nodes.size() == 2 ? nodes.back().c_str() : "others");
  for (const std::string& line : interop::missing_lines(*imported)) std::printf("missing: %s\n", line.c_str());
  std::printf("%s: %zu nodes, %zu groups, %zu parameters, %zu operators missing\n", out.c_str(),
              imported->nodes.size() + imported->outputs.size(), imported->graph.groups().size(), parameters,
              imported->missing.size());
  return kDone;
}

}  // namespace

void add(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("import", "Make a graph of an ONNX model, with its weights beside it");
  auto o = std::make_shared<Options>();
  command->add_option("model", o->model, "MODEL.onnx")->required();
  command->add_option("-o,--out", o->out, "Default: MODEL.halfwire here");
  command->add_flag("--flat", o->flat, "No groups: modules and functions become the nodes that they are made of");
  command
      ->add_option("--size", o->sizes,
                   "NAME=SIZE of symbolic axes, separated by commas: what they are while nothing is given, or for good "
                   "where an operator wants to know it. Default: what a layer's weight has; batches 1, tokens 16, "
                   "pictures 3 × 224 × 224")
      ->delimiter(',')
      ->allow_extra_args(false);
  add_json(*command, o->json, "What was made, as JSON");
  command->callback([o, &chosen] { chosen = [o] { return import_model(*o); }; });
}

}  // namespace hw::cli::import_command
