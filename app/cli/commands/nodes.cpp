// nodes: every node type with its sockets and parameters.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/commands/commands.h"
#include "app/cli/print/json_output.h"
#include "app/cli/print/report.h"
#include "engine/node/node_type.h"

namespace hw::cli::nodes_command {
namespace {

using nlohmann::ordered_json;

const char* name_of(Role role) {
  constexpr const char* names[] = {"compute", "train", "viewport", "picture", "plot", "view", "metric"};
  return names[static_cast<size_t>(role)];
}

std::string dtype_text(const DTypeRule& rule) {
  std::string list;
  for (const DType d : rule.dtypes) list += (list.empty() ? "" : " ") + std::string(name(d));
  switch (rule.kind) {
    case DTypeRule::Kind::group:
      return "the same for all " + rule.name + (list.empty() ? "" : ": " + list);
    case DTypeRule::Kind::parameter:
      return "as parameter " + rule.name;
    default:
      return list.empty() ? "any" : list;
  }
}

ordered_json socket_json(const SocketDecl& s) {
  ordered_json j{{"id", s.id}, {"label", s.label}, {"kind", s.any_kind ? "any" : name(s.kind)}};
  if (s.kind == Kind::tensor && !s.any_kind) j["dtype"] = dtype_text(s.dtype);
  if (!s.axes.empty()) j["axes"] = s.axes;
  if (s.optional) j["optional"] = true;
  if (!s.domain.empty()) j["provides"] = s.domain;
  if (!s.doc.empty()) j["doc"] = s.doc;
  return j;
}

ordered_json param_json(const ParamDecl& p) {
  ordered_json j{{"id", p.id}, {"label", p.label}, {"type", name(p.type)}};
  j["default"] = std::visit([](const auto& v) { return ordered_json(v); }, p.value);
  if (p.min) j[p.min_exclusive ? "above" : "min"] = *p.min;
  if (p.max) j["max"] = *p.max;
  if (!p.choices.empty()) j["choices"] = p.choices;
  if (!p.unit.empty()) j["unit"] = p.unit;
  if (p.is_live) j["live"] = true;
  if (!p.default_means.empty()) j["default_means"] = p.default_means;
  if (!p.group.empty()) j["group"] = p.group;
  if (p.only_where)
    j["only_where"] = {p.only_where->param,
                       std::visit([](const auto& v) { return ordered_json(v); }, p.only_where->value)};
  if (!p.doc.empty()) j["doc"] = p.doc;
  return j;
}

ordered_json type_json(const NodeType& type) {
  const NodeDecl& d = type.decl;
  ordered_json j{{"id", type.id},  {"title", d.title()},   {"category", d.category()},  {"summary", d.summary()},
                 {"doc", d.doc()}, {"source", d.source()}, {"role", name_of(d.role())}, {"random", d.is_random()}};
  j["inputs"] = j["outputs"] = j["params"] = j["weights"] = ordered_json::array();
  for (const SocketDecl& s : d.inputs()) j["inputs"].push_back(socket_json(s));
  for (const SocketDecl& s : d.outputs()) j["outputs"].push_back(socket_json(s));
  for (const ParamDecl& p : d.params()) j["params"].push_back(param_json(p));
  for (const WeightDecl& w : d.weights())
    j["weights"].push_back({{"id", w.id}, {"dtype_param", w.dtype_param}, {"doc", w.doc}});
  return j;
}

void print_sockets(const char* heading, const std::vector<SocketDecl>& sockets) {
  if (sockets.empty()) return;
  std::printf("| %s | carries | |\n|---|---|---|\n", heading);
  for (const SocketDecl& s : sockets) {
    const std::string carries = s.any_kind               ? "anything"
                                : s.kind != Kind::tensor ? std::string(name(s.kind))
                                                         : dtype_text(s.dtype);
    std::printf("| `%s` | %s%s%s | %s%s |\n", s.id.c_str(), carries.c_str(), s.axes.empty() ? "" : ", axes ",
                s.axes.c_str(), s.optional ? "May be open. " : "", s.doc.c_str());
  }
  std::printf("\n");
}

void print_markdown(const NodeType& type) {
  const NodeDecl& d = type.decl;
  std::printf("## %s (`%s`)\n\n*%s.* %s\n\n%s\n\n", d.title().c_str(), type.id.c_str(), d.category().c_str(),
              d.summary().c_str(), d.doc().c_str());
  print_sockets("Input", d.inputs());
  print_sockets("Output", d.outputs());
  if (!d.params().empty()) std::printf("| Parameter | kind | default | |\n|---|---|---|---|\n");
  for (const ParamDecl& p : d.params()) {
    std::printf("| `%s` | %s | %s | %s |\n", p.id.c_str(), std::string(name(p.type)).c_str(),
                (p.default_means.empty() ? to_string(p.value) : p.default_means).c_str(), p.doc.c_str());
  }
  if (!d.source().empty()) std::printf("\nSource: %s.\n", d.source().c_str());
  std::printf("\n");
}

int nodes(bool json, bool markdown) {
  ordered_json list = ordered_json::array();
  for (const auto& [id, type] : Registry::instance().all()) {
    if (json) {
      list.push_back(type_json(type));
    } else if (markdown) {
      print_markdown(type);
    } else {
      std::printf("%-18s %-9s %s\n", id.c_str(), type.decl.category().c_str(), type.decl.summary().c_str());
    }
  }
  if (json) print_json(list);
  return kDone;
}

}  // namespace

void add(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("nodes", "List the node types");
  auto json = std::make_shared<bool>(false), markdown = std::make_shared<bool>(false);
  CLI::Option* as_json = add_json(*command, *json, "Everything, as JSON");
  command->add_flag("--markdown", *markdown, "A reference, as Markdown")->excludes(as_json);
  command->callback([=, &chosen] { chosen = [=] { return nodes(*json, *markdown); }; });
}

}  // namespace hw::cli::nodes_command
