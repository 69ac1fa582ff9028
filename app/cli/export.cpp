// export: what a graph's outputs are made of as a model of ONNX.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/input_files.h"
#include "app/cli/json_output.h"
#include "app/cli/report.h"
#include "app/cli/weights_choice.h"
#include "app/interop/onnx/export_graph.h"
#include "engine/graph/group_interface.h"
#include "engine/graph/scope.h"

namespace hw::cli {
namespace {

using nlohmann::ordered_json;

struct Options : GraphOptions {
  std::string out;
  std::vector<std::string> outputs;
  WeightsChoice weights;
  bool json = false;
};

/// Those asked for, else all Output nodes of the document, not those of its groups, each by its name, or by its id
/// where another has the name.
Result<std::vector<std::pair<std::string, SocketRef>>> outputs_of(const LoadedGraph& loaded, const Options& o) {
  const Graph& graph = loaded.graph;
  std::vector<std::pair<std::string, SocketRef>> outputs;
  for (const std::string& asked : o.outputs) {
    HW_TRY(const SocketRef socket, find_output(graph, asked, "--output"));
    outputs.emplace_back(asked, socket);
  }
  if (!outputs.empty()) return outputs;
  for (const Node* node : sockets_of(loaded.document)) {
    if (node->type != kOutputType) continue;
    const auto links = graph.links_into(node->id, "x");
    if (links.empty()) continue;
    const auto is_taken = [&](const auto& output) { return output.first == node->name; };
    const bool by_id = node->name.empty() || std::ranges::any_of(outputs, is_taken);
    outputs.emplace_back(by_id ? node->id : node->name, SocketRef{links.front().from, links.front().from_socket});
  }
  if (!outputs.empty()) return outputs;
  return Error{codes::bad_usage, o.graph, "it has no Output node.", "Name what is wanted: --output NODE.SOCKET."};
}

int export_model(const Options& o) {
  if (const Status free = check_free(o.out); !free) return report(free.error());
  const auto loaded = load_graph(o);
  if (!loaded) return report(loaded.error());
  const auto outputs = outputs_of(*loaded, o);
  if (!outputs) return report(outputs.error());
  for (const auto& [name, socket] : *outputs)
    if (report_blocking(loaded->graph, loaded->document, socket.node)) return kGraphErrors;
  const auto weights = load_weights_beside(*loaded, o.weights);
  if (!weights) return report(weights.error());
  if (!*weights) note_without_weights(loaded->graph, "the initial ones are exported");
  const auto model = interop::export_graph(loaded->graph, *outputs, weights->get(), *loaded->assets);
  if (!model) return report(model.error());
  if (const Status written = interop::write_onnx(*model, o.out); !written) return report(written.error());
  for (const auto& [axis, because] : model->fixed)
    std::fprintf(stderr, "note: the symbolic axis %s has the size of the Input's example, because of %s\n",
                 axis.c_str(), because.c_str());
  if (o.json) {
    ordered_json fixed = ordered_json::array();
    for (const auto& [axis, because] : model->fixed) fixed.push_back({{"axis", axis}, {"because", because}});
    ordered_json names = ordered_json::array();
    for (const auto& [name, socket] : *outputs) names.push_back(name);
    print_json({{"graph", o.graph},
                {"files", {o.out}},
                {"opset", model->opset},
                {"operators", model->graph.nodes.size()},
                {"outputs", names},
                {"fixed", fixed}});
    return kDone;
  }
  std::printf("%s: %zu operators, opset %lld\n", o.out.c_str(), model->graph.nodes.size(),
              static_cast<long long>(model->opset));
  return kDone;
}

}  // namespace

void add_export(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("export", "Write what a graph's outputs are made of as an ONNX model");
  auto o = std::make_shared<Options>();
  add_graph_options(*command, *o);
  command->add_option("-o,--out", o->out, "MODEL.onnx")->required();
  command->add_option("--output", o->outputs,
                      "NODE.SOCKET: a wire to export; default: all Output nodes; may be repeated");
  add_weights(*command, o->weights, kWeightsBesideHelp);
  add_json(*command, o->json);
  command->callback([o, &chosen] { chosen = [o] { return export_model(*o); }; });
}

}  // namespace hw::cli
