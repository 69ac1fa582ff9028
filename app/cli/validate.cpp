// validate: every diagnostic of a graph, and whether its assets can be read.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/asset_check.h"
#include "app/cli/commands.h"
#include "app/cli/graph_input.h"
#include "app/cli/report.h"
#include "engine/run/memory_estimate.h"

namespace hw::cli {
namespace {

using nlohmann::ordered_json;

ordered_json to_json(const Diagnostic& d) {
  ordered_json j{
      {"code", d.code},     {"severity", name(d.severity)}, {"node", d.node}, {"socket", d.socket},
      {"reason", d.reason}, {"expected", d.expected},       {"got", d.got},   {"remedies", ordered_json::array()}};
  if (d.link) j["link"] = {d.link->from + "." + d.link->from_socket, d.link->to + "." + d.link->to_socket};
  for (const Remedy& r : d.remedies) j["remedies"].push_back(r.label);
  return j;
}

int validate(const std::string& file, bool json) {
  const auto loaded = load_graph(file);
  if (!loaded) {
    const Error& e = loaded.error();
    if (json) {
      std::printf(
          "%s\n",
          ordered_json{{"file", file},
                       {"error", {{"code", e.code}, {"where", e.where}, {"reason", e.reason}, {"remedy", e.remedy}}}}
              .dump(2)
              .c_str());
    }
    return report(e);
  }
  Validator validator;
  validator.reset(loaded->graph);
  std::vector<Diagnostic> all = validator.all();
  check_assets(*loaded, all);

  std::optional<MemoryEstimate> memory;
  if (std::none_of(all.begin(), all.end(), [](const Diagnostic& d) { return d.severity == Severity::error; })) {
    if (const auto found = estimate_memory(loaded->graph, *loaded->assets, device_ids().front())) memory = *found;
  }
  int errors = 0;
  ordered_json list = ordered_json::array();
  for (const Diagnostic& d : all) {
    errors += d.severity == Severity::error;
    list.push_back(to_json(d));
    if (!json) report(d);
  }
  if (json) {
    ordered_json out{{"file", file}, {"errors", errors}, {"diagnostics", list}, {"memory_bytes", nullptr}};
    if (memory) {
      out["memory_bytes"] = {{"parameters", memory->parameters},
                             {"optimiser", memory->optimiser},
                             {"activations", memory->activations},
                             {"data", memory->data},
                             {"total", memory->total()}};
    }
    std::printf("%s\n", out.dump(2).c_str());
  } else {
    std::printf("%s: %zu nodes, %zu links, %d error%s\n", file.c_str(), loaded->graph.nodes().size(),
                loaded->graph.link_count(), errors, errors == 1 ? "" : "s");
    if (memory) std::printf("training takes about %s of memory\n", memory_text(memory->total()).c_str());
  }
  return errors ? kGraphErrors : kDone;
}

}  // namespace

void add_validate(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("validate", "Check a graph: wires, parameters, assets");
  auto file = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  command->add_option("graph", *file, "A .halfwire file")->required();
  command->add_flag("--json", *json, "Diagnostics as JSON on stdout");
  command->callback([=, &chosen] { chosen = [=] { return validate(*file, *json); }; });
}

}  // namespace hw::cli
