#include "engine/io/asset_refs.h"

namespace hw {

std::vector<AssetRef> asset_refs(const Graph& graph) {
  std::vector<AssetRef> all;
  for (const auto& [id, node] : graph.nodes()) {
    const NodeType* type = Registry::instance().find(node.type);
    if (!type || type->decl.outputs().empty()) continue;
    for (const ParamDecl& param : type->decl.params()) {
      if (param.type != ParamDecl::Type::path) continue;
      const ParamValue value = param_value(node, param.id);
      const auto* path = std::get_if<std::string>(&value);
      if (path && !path->empty()) all.push_back({id, param.id, *path, type->decl.outputs().front().kind});
    }
  }
  return all;
}

Diagnostic asset_problem(const AssetRef& ref, const Error& error) {
  Diagnostic d;
  d.code = error.code;
  if (ref.kind == Kind::dataset && error.code == codes::asset_missing) d.severity = Severity::warning;
  d.node = ref.node;
  d.socket = ref.param;
  d.reason = error.where + ": " + error.reason + (error.remedy.empty() ? "" : " " + error.remedy);
  return d;
}

}  // namespace hw
