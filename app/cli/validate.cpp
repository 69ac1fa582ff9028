// validate: every diagnostic of a graph, and whether its assets can be read.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/graph_input.h"
#include "app/cli/report.h"
#include "engine/run/memory_estimate.h"

namespace hw::cli {
namespace {

using nlohmann::ordered_json;

/// Reads what a source node names in its path parameter. What a mesh lacks, as warnings.
Result<std::vector<std::string>> try_asset(Assets& assets, const NodeType& type, const Node& node,
                                           const std::string& path) {
  std::vector<std::string> warnings;
  if (type.decl.outputs().empty()) return warnings;
  switch (type.decl.outputs().front().kind) {
    case Kind::mesh: {
      HW_TRY(const std::shared_ptr<const Mesh> mesh, assets.mesh(path));
      warnings = mesh->warnings;
      break;
    }
    case Kind::image:
      HW_CHECK(assets.image(path));
      break;
    case Kind::dataset: {
      Program program;
      OpBuilder builder(program);
      type.lower(builder, LowerArgs(Params(type.decl, node.params), {}, assets));
      HW_CHECK(builder.status());
      break;
    }
    case Kind::tensor:
      break;
  }
  return warnings;
}

/// Files that nodes name and that cannot be read, or lack something. An empty path is the validator's to report. Data
/// sets do not travel with graphs: one that is missing is a warning.
void check_assets(const LoadedGraph& loaded, std::vector<Diagnostic>& out) {
  for (const auto& [id, node] : loaded.graph.nodes()) {
    const NodeType* type = Registry::instance().find(node.type);
    for (const ParamDecl& p : type ? type->decl.params() : std::vector<ParamDecl>()) {
      if (p.type != ParamDecl::Type::path) continue;
      const ParamValue value = param_value(node, p.id);
      const auto* path = std::get_if<std::string>(&value);
      if (!path || path->empty()) continue;
      const auto same_node = [&id = id](const Diagnostic& d) { return d.node == id; };
      if (std::any_of(out.begin(), out.end(), same_node)) continue;  // its parameters are wrong: said already
      const auto read = try_asset(*loaded.assets, *type, node, *path);
      if (read) {
        for (const std::string& warning : *read) {
          Diagnostic d;
          d.code = codes::asset_lacks;
          d.severity = Severity::warning;
          d.node = id;
          d.socket = p.id;
          d.reason = *path + ": " + warning;
          out.push_back(std::move(d));
        }
        continue;
      }
      const Error& e = read.error();
      Diagnostic d;
      const bool data = type->decl.outputs().front().kind == Kind::dataset;
      if (data && e.code == codes::asset_missing) d.severity = Severity::warning;
      d.code = e.code;
      d.node = id;
      d.socket = p.id;
      d.reason = e.where + ": " + e.reason + " " + e.remedy;
      out.push_back(std::move(d));
    }
  }
}

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
