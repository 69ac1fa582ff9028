#include "app/cli/asset_check.h"

#include <algorithm>

#include "app/cli/report.h"

namespace hw::cli {
namespace {

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

}  // namespace

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

void report_lacks(const LoadedGraph& loaded) {
  std::vector<Diagnostic> found;
  check_assets(loaded, found);
  for (const Diagnostic& d : found)
    if (d.code == codes::asset_lacks && d.severity == Severity::warning) report(d);
}

}  // namespace hw::cli
