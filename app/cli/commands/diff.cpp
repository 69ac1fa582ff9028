// diff: what two graphs do not have in common, node by node.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/commands/commands.h"
#include "app/cli/options/graph_input.h"
#include "app/cli/print/json_output.h"
#include "app/cli/print/report.h"
#include "engine/graph/compare_graphs.h"
#include "engine/io/graph/graph_file.h"

namespace hw::cli::diff_command {
namespace {

using nlohmann::ordered_json;
using Kind = Difference::Kind;
using Of = Difference::Of;

struct Options {
  std::string before, after;
  bool json = false;
};

constexpr const char* kKinds[] = {"added", "removed", "changed"};
constexpr const char* kSigns[] = {"+", "-", "~"};
constexpr const char* kThings[] = {"node", "wire", "frame", "graph"};

const Graph& level_of(const Graph& graph, const std::string& group) {
  const Group* found = group.empty() ? nullptr : graph.find_group(group);
  return found ? found->graph : graph;
}

ordered_json to_json(const Difference& d) {
  ordered_json j{
      {"kind", kKinds[static_cast<size_t>(d.kind)]}, {"of", kThings[static_cast<size_t>(d.of)]}, {"id", d.id}};
  if (d.of == Of::wire) j["link"] = {d.link.from + "." + d.link.from_socket, d.link.to + "." + d.link.to_socket};
  for (const FieldChange& field : d.fields)
    j["fields"].push_back({{"what", field.what}, {"before", field.before}, {"after", field.after}});
  if (d.inside) j["inside"] = true;
  return j;
}

void print(const Graph& before, const Graph& after, const GraphComparison& comparison) {
  for (const auto& [group, level] : comparison) {
    const char* indent = group.empty() ? "" : "  ";
    if (!group.empty() && !level.differences.empty()) std::printf("in group %s:\n", group.c_str());
    for (const Difference& d : level.differences) {
      const Graph& graph = level_of(d.kind == Kind::removed ? before : after, group);
      std::printf("%s%s %s%s\n", indent, kSigns[static_cast<size_t>(d.kind)], words_of(d, graph).c_str(),
                  d.inside ? ": what is in its group differs" : "");
      for (const FieldChange& field : d.fields)
        std::printf("%s    %s: %s → %s\n", indent, field.what.c_str(),
                    field.before.empty() ? "none" : field.before.c_str(),
                    field.after.empty() ? "none" : field.after.c_str());
    }
    if (!level.moved.empty())
      std::printf("%s%zu %s elsewhere on the canvas\n", indent, level.moved.size(),
                  level.moved.size() == 1 ? "lies" : "lie");
  }
}

int run(const Options& o) {
  const auto before = read_document(o.before);
  if (!before) return report(before.error());
  const auto after = read_document(o.after);
  if (!after) return report(after.error());
  const GraphComparison comparison = compare_graphs(*before, *after);
  if (o.json) {
    ordered_json all{{"same", same(comparison)}, {"levels", ordered_json::array()}};
    for (const auto& [group, level] : comparison) {
      ordered_json j{{"group", group}, {"differences", ordered_json::array()}, {"moved", level.moved}};
      for (const Difference& d : level.differences) j["differences"].push_back(to_json(d));
      all["levels"].push_back(std::move(j));
    }
    print_json(all);
  } else {
    print(*before, *after, comparison);
  }
  return same(comparison) ? kDone : kGraphErrors;
}

}  // namespace

void add(CLI::App& app, Action& chosen) {
  CLI::App* command =
      app.add_subcommand("diff", "Show what two graphs do not have in common; exit 1 where they differ");
  const auto o = std::make_shared<Options>();
  command->add_option("before", o->before, "The graph as it was (*.halfwire)")->required();
  command->add_option("after", o->after, "The graph as it is")->required();
  add_json(*command, o->json, "Print JSON");
  command->callback([o, &chosen] { chosen = [o] { return run(*o); }; });
}

}  // namespace hw::cli::diff_command
