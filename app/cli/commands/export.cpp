// export: what a graph's outputs are made of as a model of ONNX; or a wire as a shader, see export_field.h.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/export_field.h"
#include "app/cli/options/graph_input.h"
#include "app/cli/options/weights_choice.h"
#include "app/cli/print/json_output.h"
#include "app/cli/print/report.h"
#include "app/interop/onnx/export_notes.h"
#include "app/interop/shader/field_file.h"
#include "app/workspace/input_files.h"
#include "engine/graph/groups/scope.h"

namespace hw::cli::export_command {
namespace {

using nlohmann::ordered_json;

struct Options : GraphRequest {
  std::string out;
  std::vector<std::string> outputs;
  WeightsChoice weights;
  int64_t opset = interop::kFirstWrittenOpset;
  bool functions = false;
  std::string field;  // as a shader
  std::vector<std::string> points;
  bool json = false;
};

/// Those asked for, else all Output nodes.
Result<interop::NamedOutputs> outputs_of(const OpenGraph& loaded, const Options& o) {
  interop::NamedOutputs outputs;
  for (const std::string& asked : o.outputs) {
    HW_TRY(const SocketRef socket, find_output(loaded.graph, asked, "--output"));
    outputs.emplace_back(asked, socket);
  }
  if (outputs.empty()) outputs = interop::named_outputs(loaded.document, loaded.graph);
  if (!outputs.empty()) return outputs;
  return Error{codes::bad_usage, o.graph, "it has no Output node.", "Name what is wanted: --output NODE.SOCKET."};
}

/// Each node that is in the way.
int report_refusals(const std::vector<Error>& refused) {
  int exit = kDone;
  for (const Error& error : refused) exit = std::max(exit, report(error));
  return exit;
}

ordered_json functions_json(const interop::LocalFunctions& groups) {
  ordered_json all = ordered_json::array();
  for (const interop::GroupFunction& f : groups.functions)
    all.push_back({{"name", f.name}, {"group", f.group}, {"instances", f.instances}, {"attributes", f.attributes}});
  return all;
}

int export_model(const Options& o) {
  if (interop::shader_language(o.out))
    return report(
        Error{codes::bad_usage, "-o " + o.out, "a shader is made of a wire.", "Name it: --field NODE.SOCKET."});
  if (const Status free = check_free(o.out, "-o"); !free) return report(free.error());
  const auto loaded = noted(open_graph, o);
  if (!loaded) return report(loaded.error());
  const auto outputs = outputs_of(*loaded, o);
  if (!outputs) return report(outputs.error());
  for (const auto& [name, socket] : *outputs)
    if (report_blocking(loaded->graph, loaded->document, socket.node)) return kGraphErrors;
  const auto weights = noted(load_weights_or_initial, *loaded, o.weights, "the initial ones are exported");
  if (!weights) return report(weights.error());
  const interop::ExportOptions options{o.opset, o.functions ? &loaded->document : nullptr};
  const auto model = interop::export_graph(loaded->graph, *outputs, weights->get(), *loaded->assets, options);
  if (!model) {
    const auto refused = interop::export_refusals(loaded->graph, *outputs, weights->get(), *loaded->assets, options);
    return refused.empty() ? report(model.error()) : report_refusals(refused);
  }
  if (const Status written = interop::write_onnx(*model, o.out); !written) return report(written.error());
  for (const std::string& note : interop::export_notes(*model)) std::fprintf(stderr, "note: %s\n", note.c_str());
  if (o.json) {
    ordered_json fixed = ordered_json::array();
    for (const auto& [axis, because] : model->fixed) fixed.push_back({{"axis", axis}, {"because", because}});
    ordered_json inlined = ordered_json::array();
    for (const auto& [path, because] : model->groups.inlined)
      inlined.push_back({{"instance", path}, {"because", because}});
    ordered_json names = ordered_json::array();
    for (const auto& [name, socket] : *outputs) names.push_back(name);
    print_json({{"graph", o.graph},
                {"files", {o.out}},
                {"opset", model->opset},
                {"operators", model->graph.nodes.size()},
                {"outputs", names},
                {"fixed", fixed},
                {"functions", functions_json(model->groups)},
                {"inlined", inlined}});
    return kDone;
  }
  std::printf("%s: %zu operators, opset %lld\n", o.out.c_str(), model->graph.nodes.size(),
              static_cast<long long>(model->opset));
  return kDone;
}

}  // namespace

void add(CLI::App& app, Action& chosen) {
  CLI::App* command =
      app.add_subcommand("export", "Write what a graph's outputs are made of as an ONNX model, or a wire as a shader");
  auto o = std::make_shared<Options>();
  add_graph_options(*command, *o);
  command
      ->add_option("-o,--out", o->out,
                   "MODEL.onnx; with --field SHADER.glsl, .slang or .hlsl, and the weights beside it as .bin")
      ->required();
  CLI::Option* const output = command->add_option(
      "--output", o->outputs, "NODE.SOCKET: a wire to export; default: all Output nodes; may be repeated");
  CLI::Option* const opset =
      command
          ->add_option("--opset", o->opset,
                       "Version of ONNX's operators that are written: " + std::to_string(interop::kFirstWrittenOpset) +
                           " to " + std::to_string(interop::kLastOpset) + ", default " +
                           std::to_string(interop::kFirstWrittenOpset))
          ->check(CLI::Range(interop::kFirstWrittenOpset, interop::kLastOpset));
  CLI::Option* const functions =
      command->add_flag("--functions", o->functions, "Groups as local functions; default: their nodes alone");
  CLI::Option* const field = command->add_option(
      "--field", o->field, "NODE.SOCKET: this wire, which depends on where a point lies, as the function of a shader");
  for (CLI::Option* const of_a_model : {output, opset, functions}) field->excludes(of_a_model);
  command
      ->add_option("--point", o->points,
                   "With --field: NODE.SOCKET, a wire [N, C] that is a variable of the function; may be repeated")
      ->needs(field);
  add_weights(*command, o->weights, kWeightsBesideHelp);
  add_json(*command, o->json);
  command->callback([o, field, &chosen] {
    chosen = [o, shader = field->count() > 0] {
      return !shader ? export_model(*o) : export_field({*o, o->field, o->points, o->out, o->weights, o->json});
    };
  });
}

}  // namespace hw::cli::export_command
