#include "app/workspace/assets.h"

#include <algorithm>

#include "engine/graph/check/check_instances.h"
#include "engine/graph/check/check_upstream.h"
#include "engine/graph/check/texture_detail.h"
#include "engine/plan/check_parts.h"

namespace hw::workspace {
namespace {

Result<std::vector<Diagnostic>> problems_of(const OpenGraph& loaded, const AssetRef& ref) {
  return file_problems(loaded.graph, ref, *loaded.assets,
                       [&](const std::string& path) { return loaded.assets->refused(path); });
}

}  // namespace

Result<std::vector<Diagnostic>> file_problems(const Graph& graph, const AssetRef& ref, Assets& assets,
                                              const RefusedFiles& refused) {
  const Node& node = *graph.find(ref.node);
  std::vector<Diagnostic> warnings;
  switch (ref.kind) {
    case Kind::mesh: {
      HW_TRY(const std::shared_ptr<const Mesh> mesh, assets.mesh(ref.path));
      warnings = mesh_problems(ref, *mesh, refused(ref.path));
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

void check_assets(const OpenGraph& loaded, std::vector<Diagnostic>& out) {
  for (const AssetRef& ref : asset_refs(loaded.graph)) {
    const auto same_node = [&](const Diagnostic& d) { return d.node == ref.node; };
    if (std::any_of(out.begin(), out.end(), same_node)) continue;  // its parameters are wrong: said already
    const auto read = problems_of(loaded, ref);
    if (!read) {
      out.push_back(asset_problem(ref, read.error()));
      continue;
    }
    out.insert(out.end(), read->begin(), read->end());
  }
}

void note_warnings(const OpenGraph& loaded, Notes& notes) {
  Validator validator;
  validator.reset(loaded.graph);
  std::vector<Diagnostic> found = validator.all();
  std::ranges::move(check_instances(loaded.document), std::back_inserter(found));
  std::ranges::move(check_parts(loaded.graph, *loaded.assets), std::back_inserter(found));
  check_assets(loaded, found);
  for (const Diagnostic& d : found) {
    const bool missing = d.code == codes::asset_missing;  // where it is needed, the run itself says so
    const bool is_of_file = d.severity == Severity::info && d.code == codes::asset_lacks;
    if ((d.severity == Severity::warning || is_of_file) && !missing) add_diagnostic(notes, d);
  }
}

void note_file_warnings(const OpenGraph& loaded, const std::vector<std::string>& wanted, Notes& notes) {
  std::unordered_set<std::string> upstream;
  for (const std::string& node : wanted) upstream.merge(upstream_nodes(loaded.graph, node));
  for (const AssetRef& ref : asset_refs(loaded.graph)) {
    if (!wanted.empty() && !upstream.contains(ref.node)) continue;
    const auto found = problems_of(loaded, ref);
    if (!found) continue;  // where it is needed, the run itself says so
    for (const Diagnostic& d : *found)
      if (d.severity != Severity::error) add_diagnostic(notes, d);
  }
}

}  // namespace hw::workspace
