#include "app/cli/asset_check.h"

#include <algorithm>

#include "app/cli/report.h"
#include "engine/graph/check/check_instances.h"
#include "engine/graph/check/check_upstream.h"
#include "engine/graph/check/texture_detail.h"
#include "engine/io/asset_refs.h"
#include "engine/plan/check_parts.h"

namespace hw::cli {
namespace {

/// Reads what a source node names in its path parameter. What a mesh lacks, as warnings; what is too fine in it.
Result<std::vector<Diagnostic>> try_asset(FileAssets& assets, const Graph& graph, const AssetRef& ref) {
  const Node& node = *graph.find(ref.node);
  std::vector<Diagnostic> warnings;
  switch (ref.kind) {
    case Kind::mesh: {
      HW_TRY(const std::shared_ptr<const Mesh> mesh, assets.mesh(ref.path));
      warnings = mesh_problems(ref, *mesh, assets.refused(ref.path));
      const std::vector<Diagnostic> hints = texture_detail_hints(graph, ref.node, *mesh);
      warnings.insert(warnings.end(), hints.begin(), hints.end());
      break;
    }
    case Kind::image: {
      HW_TRY(const std::shared_ptr<const Image> image, assets.image(ref.path));
      warnings = image_problems(ref, *image);
      break;
    }
    case Kind::dataset:
      warnings = dataset_problems(ref, node, assets);
      break;
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
    const auto read = try_asset(*loaded.assets, loaded.graph, ref);
    if (!read) {
      out.push_back(asset_problem(ref, read.error()));
      continue;
    }
    out.insert(out.end(), read->begin(), read->end());
  }
}

void report_warnings(const LoadedGraph& loaded) {
  Validator validator;
  validator.reset(loaded.graph);
  std::vector<Diagnostic> found = validator.all();
  std::ranges::move(check_instances(loaded.document), std::back_inserter(found));
  std::ranges::move(check_parts(loaded.graph, *loaded.assets), std::back_inserter(found));
  check_assets(loaded, found);
  for (const Diagnostic& d : found) {
    const bool missing = d.code == codes::asset_missing;  // where it is needed, the run itself says so
    const bool is_of_file = d.severity == Severity::info && d.code == codes::asset_lacks;
    if ((d.severity == Severity::warning || is_of_file) && !missing) report(d);
  }
}

void report_file_warnings(const LoadedGraph& loaded, const std::vector<std::string>& wanted) {
  std::unordered_set<std::string> upstream;
  for (const std::string& node : wanted) upstream.merge(upstream_nodes(loaded.graph, node));
  for (const AssetRef& ref : asset_refs(loaded.graph)) {
    if (!wanted.empty() && !upstream.contains(ref.node)) continue;
    const auto found = try_asset(*loaded.assets, loaded.graph, ref);
    if (!found) continue;  // where it is needed, the run itself says so
    for (const Diagnostic& d : *found)
      if (d.severity != Severity::error) report(d);
  }
}

}  // namespace hw::cli
