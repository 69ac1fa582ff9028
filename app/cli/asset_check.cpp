#include "app/cli/asset_check.h"

#include <algorithm>

#include "app/cli/report.h"
#include "engine/io/asset_refs.h"

namespace hw::cli {
namespace {

/// Reads what a source node names in its path parameter. What a mesh lacks, as warnings.
Result<std::vector<std::string>> try_asset(Assets& assets, const NodeType& type, const Node& node,
                                           const AssetRef& ref) {
  std::vector<std::string> warnings;
  switch (ref.kind) {
    case Kind::mesh: {
      HW_TRY(const std::shared_ptr<const Mesh> mesh, assets.mesh(ref.path));
      warnings = mesh->warnings;
      break;
    }
    case Kind::image:
      HW_CHECK(assets.image(ref.path));
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
  for (const AssetRef& ref : asset_refs(loaded.graph)) {
    const auto same_node = [&](const Diagnostic& d) { return d.node == ref.node; };
    if (std::any_of(out.begin(), out.end(), same_node)) continue;  // its parameters are wrong: said already
    const Node& node = *loaded.graph.find(ref.node);
    const auto read = try_asset(*loaded.assets, *Registry::instance().find(node.type), node, ref);
    if (!read) {
      out.push_back(asset_problem(ref, read.error()));
      continue;
    }
    for (const std::string& warning : *read) {
      out.push_back(asset_problem(ref, Error{codes::asset_lacks, ref.path, warning, ""}));
      out.back().severity = Severity::warning;
    }
  }
}

void report_warnings(const LoadedGraph& loaded) {
  Validator validator;
  validator.reset(loaded.graph);
  std::vector<Diagnostic> found = validator.all();
  check_assets(loaded, found);
  for (const Diagnostic& d : found) {
    const bool missing = d.code == codes::asset_missing;  // where it is needed, the run itself says so
    if (d.severity == Severity::warning && !missing) report(d);
  }
}

}  // namespace hw::cli
