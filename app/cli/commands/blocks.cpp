// blocks: the library of groups, with their sockets and parameters.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/commands/commands.h"
#include "app/cli/print/json_output.h"
#include "app/cli/print/report.h"
#include "engine/graph/groups/group_interface.h"
#include "engine/io/graph/block_library.h"

namespace hw::cli::blocks_command {
namespace {

using nlohmann::ordered_json;

ordered_json to_json(const Block& block) {
  const NodeDecl decl = interface_of(*block.graph, *block.group);
  ordered_json j{
      {"key", block.key},  {"title", decl.title()},       {"category", decl.category()}, {"summary", decl.summary()},
      {"doc", decl.doc()}, {"keywords", decl.keywords()}, {"file", block.file.string()}, {"own", block.own}};
  j["inputs"] = j["outputs"] = j["params"] = ordered_json::array();
  for (const SocketDecl& s : decl.inputs())
    j["inputs"].push_back({{"id", s.id}, {"label", s.label}, {"kind", name(s.kind)}});
  for (const SocketDecl& s : decl.outputs())
    j["outputs"].push_back({{"id", s.id}, {"label", s.label}, {"kind", name(s.kind)}});
  for (const ParamDecl& p : decl.params())
    j["params"].push_back({{"id", p.id},
                           {"label", p.label},
                           {"type", name(p.type)},
                           {"default", std::visit([](const auto& v) { return ordered_json(v); }, p.value)}});
  return j;
}

int blocks(bool json) {
  const BlockLibrary library = read_block_library();
  ordered_json list = ordered_json::array();
  for (const Block& block : library.blocks) {
    if (json) {
      list.push_back(to_json(block));
      continue;
    }
    const NodeDecl decl = interface_of(*block.graph, *block.group);
    std::printf("%-24s %-12s %s: %s\n", block.key.c_str(), decl.category().c_str(), decl.title().c_str(),
                decl.summary().c_str());
  }
  if (json) print_json(list);
  for (const Error& error : library.unusable) report(error);
  return library.unusable.empty() ? kDone : kGraphErrors;
}

}  // namespace

void add(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("blocks", "List the library of groups: those that come with it, and your own");
  auto json = std::make_shared<bool>(false);
  add_json(*command, *json, "With sockets and parameters, as JSON");
  command->callback([=, &chosen] { chosen = [=] { return blocks(*json); }; });
}

}  // namespace hw::cli::blocks_command
