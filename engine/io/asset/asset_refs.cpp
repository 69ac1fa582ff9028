#include "engine/io/asset/asset_refs.h"

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
  if (error.code == codes::asset_refused) d.got = error.where;
  return d;
}

Diagnostic weights_problem(const Error& error) {
  Diagnostic d;
  d.code = error.code;
  d.reason = error.where + ": " + error.reason + (error.remedy.empty() ? "" : " " + error.remedy);
  d.got = error.where;
  return d;
}

std::vector<Diagnostic> image_problems(const AssetRef& ref, const Image& image) {
  std::vector<Diagnostic> problems;
  for (const std::string& warning : image.warnings) {
    problems.push_back(asset_problem(ref, Error{codes::asset_lacks, ref.path, warning, ""}));
    problems.back().severity = Severity::warning;
  }
  return problems;
}

std::vector<Diagnostic> dataset_problems(const AssetRef& ref, const Node& node, Assets& assets) {
  const NodeType* type = Registry::instance().find(node.type);
  if (!type) return {};
  Program program;
  OpBuilder b(program);
  const Lowered lowered = type->lower(b, LowerArgs(Params(type->decl, node.params), {}, assets));
  std::vector<Diagnostic> problems;
  if (!b.status()) {
    const Error& error = b.status().error();  // of another kind: on its parameters, which are checked by themselves
    if (error.code.starts_with("HW-A") || error.code == codes::out_of_memory)
      problems.push_back(asset_problem(ref, error));
    return problems;
  }
  const auto* data = std::get_if<std::shared_ptr<const Dataset>>(&lowered.front());
  if (!data || !*data) return problems;
  for (const std::string& warning : (*data)->warnings) {
    problems.push_back(asset_problem(ref, Error{codes::asset_lacks, ref.path, warning, ""}));
    problems.back().severity = Severity::warning;
  }
  return problems;
}

std::vector<Diagnostic> mesh_problems(const AssetRef& ref, const Mesh& mesh, const std::vector<std::string>& refused) {
  std::vector<Diagnostic> problems;
  for (const std::string& warning : mesh.warnings)
    problems.push_back(asset_problem(ref, Error{codes::asset_lacks, ref.path, warning, ""}));
  for (const std::string& file : refused)
    problems.push_back(asset_problem(
        ref, Error{codes::asset_refused, file,
                   "the model refers to it, and it lies outside the folders that may be read for this graph: left out.",
                   "Put it beside the model, or allow it (on the command line: --allow-path DIR)."}));
  for (Diagnostic& d : problems) d.severity = Severity::warning;
  for (const std::string& note : mesh.notes) {
    problems.push_back(asset_problem(ref, Error{codes::asset_lacks, ref.path, note, ""}));
    problems.back().severity = Severity::info;
  }
  return problems;
}

}  // namespace hw
