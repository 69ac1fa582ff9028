// summary: what each node and group of a network gives, trains and multiplies.
#include "engine/graph/lower/summary.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <ranges>

#include "app/cli/commands/commands.h"
#include "app/cli/options/device_choice.h"
#include "app/cli/options/graph_input.h"
#include "app/cli/print/json_output.h"
#include "app/cli/print/report.h"
#include "engine/core/memory.h"
#include "engine/devices/devices.h"
#include "engine/graph/groups/scope.h"

namespace hw::cli::summary_command {
namespace {

using nlohmann::ordered_json;

struct Options : GraphRequest {
  int depth = 0;
  bool json = false;
};

/// A node, or an instance of a group with all that is in it.
struct Row {
  std::string path, type, outputs;
  ParameterCount parameters;
  double multiply_adds = 0;
  int level = 0;
};

std::string title_of(const Node* node, const Graph& document) {
  if (!node) return "";
  if (const NodeType* type = Registry::instance().find(node->type)) return type->decl.title();
  return display_name(document, *node);
}

std::string text_of(const std::vector<std::pair<std::string, WireType>>& outputs) {
  std::string text;
  for (const auto& [socket, wire] : outputs) text += (text.empty() ? "" : ", ") + to_string(wire);
  return text;
}

/// Rows of the nodes below `inside` ("" or "block/"), and of those in groups as deep as `levels` says.
class Table {
 public:
  Table(const OpenGraph& loaded, const NetworkSummary& summary) : loaded_(loaded), summary_(summary) {
    for (const NodeSummary& node : summary.nodes) by_path_[node.path] = &node;
  }

  std::vector<Row> rows(int levels) {
    add("", 0, levels);
    return std::move(rows_);
  }

 private:
  void add(const std::string& inside, int level, int levels) {
    for (const std::string& path : children(inside)) {
      const auto leaf = by_path_.find(path);
      if (leaf != by_path_.end()) {
        const NodeSummary& node = *leaf->second;
        rows_.push_back({path, title_of(loaded_.graph.find(path), loaded_.document), text_of(node.outputs),
                         node.parameters, node.multiply_adds, level});
        continue;
      }
      rows_.push_back({path, title_of(NodePlace(loaded_.document, path).node, loaded_.document), outputs_of(path + "/"),
                       summary_.parameters.at(path), summary_.multiply_adds.at(path), level});
      if (level < levels) add(path + "/", level + 1, levels);
    }
  }

  /// Nodes and instances directly below `inside`, an instance at the place of its last node.
  std::vector<std::string> children(const std::string& inside) const {
    std::vector<std::string> paths;
    std::set<std::string, std::less<>> seen;
    for (const NodeSummary& node : summary_.nodes | std::views::reverse) {
      if (!node.path.starts_with(inside)) continue;
      std::string path = node.path.substr(0, node.path.find('/', inside.size()));
      if (seen.insert(path).second) paths.push_back(std::move(path));
    }
    std::ranges::reverse(paths);
    return paths;
  }

  /// What the Output nodes of an instance give.
  std::string outputs_of(const std::string& inside) const {
    std::string text;
    for (const NodeSummary& node : summary_.nodes) {
      if (node.type == kOutputType && node.path.starts_with(inside) &&
          node.path.find('/', inside.size()) == node.path.npos)
        text += (text.empty() ? "" : ", ") + text_of(node.outputs);
    }
    return text;
  }

  const OpenGraph& loaded_;
  const NetworkSummary& summary_;
  std::map<std::string_view, const NodeSummary*> by_path_;
  std::vector<Row> rows_;
};

/// Without the path of the group that the row stands in.
std::string name_of(const Row& row) {
  return std::string(2 * static_cast<size_t>(row.level), ' ') + row.path.substr(row.path.rfind('/') + 1);
}

void print(const std::vector<Row>& rows, const NetworkSummary& summary) {
  size_t name_width = 5, type_width = 5, output_width = 6;
  for (const Row& row : rows) {
    name_width = std::max(name_width, name_of(row).size());
    type_width = std::max(type_width, row.type.size());
    output_width = std::max(output_width, row.outputs.size());
  }
  const auto line = [&](const std::string& name, const std::string& type, const std::string& outputs,
                        const std::string& parameters, const std::string& multiply_adds) {
    std::printf("%-*s  %-*s  %-*s  %12s  %14s\n", static_cast<int>(name_width), name.c_str(),
                static_cast<int>(type_width), type.c_str(), static_cast<int>(output_width), outputs.c_str(),
                parameters.c_str(), multiply_adds.c_str());
  };
  const auto count = [](double n) { return n == 0 ? std::string("-") : std::to_string(static_cast<int64_t>(n)); };
  line("node", "type", "output", "parameters", "multiply-adds");
  for (const Row& row : rows) {
    line(name_of(row), row.type, row.outputs,
         count(static_cast<double>(row.parameters.parameters + row.parameters.frozen)), count(row.multiply_adds));
  }
  const ParameterCount& all = summary.parameters.at("");
  std::printf("%s; %.0f multiply-adds a pass\n", parameters_text(all).c_str(), summary.multiply_adds.at(""));
}

ordered_json to_json(const std::string& file, const std::vector<Row>& rows, const NetworkSummary& summary) {
  ordered_json list = ordered_json::array();
  for (const Row& row : rows) {
    list.push_back({{"path", row.path},
                    {"type", row.type},
                    {"outputs", row.outputs},
                    {"parameters", row.parameters.parameters},
                    {"frozen", row.parameters.frozen},
                    {"parameter_bytes", row.parameters.bytes},
                    {"multiply_adds", static_cast<int64_t>(row.multiply_adds)}});
  }
  const ParameterCount& all = summary.parameters.at("");
  return {{"file", file},
          {"parameters", all.parameters},
          {"frozen", all.frozen},
          {"parameter_bytes", all.bytes},
          {"multiply_adds", static_cast<int64_t>(summary.multiply_adds.at(""))},
          {"rows", list}};
}

int summary(const Options& o) {
  const auto loaded = noted(open_graph, o);
  if (!loaded) return report(loaded.error());
  Validator validator;
  validator.set_devices(has_device, device_ids);
  validator.reset(loaded->graph);
  bool blocked = false;
  for (const Diagnostic& d : validator.all()) {
    if (d.severity != Severity::error) continue;
    report(d);
    blocked = true;
  }
  if (blocked) return kGraphErrors;
  const auto found = summarise(loaded->graph, validator, *loaded->assets);
  if (!found) return report(found.error());
  const std::vector<Row> rows = Table(*loaded, *found).rows(o.depth);
  if (o.json)
    print_json(to_json(o.graph, rows, *found));
  else
    print(rows, *found);
  return kDone;
}

}  // namespace

void add(CLI::App& app, Action& chosen) {
  CLI::App* command =
      app.add_subcommand("summary", "What each node gives, its parameters and multiply-adds (evaluation mode)");
  auto o = std::make_shared<Options>();
  add_graph_options(*command, *o);
  command->add_option("--depth", o->depth, "Levels of groups that are opened")
      ->check(CLI::Range(0, 64))
      ->capture_default_str();
  add_json(*command, o->json, "The table as JSON on stdout");
  command->callback([o, &chosen] { chosen = [o] { return summary(*o); }; });
}

}  // namespace hw::cli::summary_command
