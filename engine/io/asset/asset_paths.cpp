#include "engine/io/asset/asset_paths.h"

#include <functional>

#include "engine/graph/groups/group_interface.h"
#include "engine/graph/groups/scope.h"

namespace hw {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kAsset = "asset:";

fs::path real_folder(const fs::path& folder) {
  std::error_code ec;
  const fs::path real = fs::weakly_canonical(fs::absolute(folder.empty() ? fs::path(".") : folder, ec), ec);
  return ec ? folder : real;
}

/// Steps from a folder to a file, or nothing where none lead there.
fs::path steps(const fs::path& folder, const fs::path& file) {
  return file.lexically_normal().lexically_relative(folder);
}

/// Steps from a folder to what lies below it, by its name or with links followed; empty: it does not.
fs::path below(const fs::path& folder, const fs::path& file) {
  std::error_code ec;
  const auto inside = [](const fs::path& path) { return !path.empty() && *path.begin() != ".."; };
  const fs::path named = steps(fs::absolute(folder, ec).lexically_normal(), fs::absolute(file, ec));
  if (inside(named)) return named;
  const fs::path real = steps(real_folder(folder), real_folder(file.parent_path()) / file.filename());
  return inside(real) ? real : fs::path();
}

/// Both exist, and are one.
bool same(const fs::path& a, const fs::path& b) {
  std::error_code ec;
  return fs::equivalent(a, b, ec);
}

/// A value of a path parameter, seen from another folder.
std::string seen(const std::string& value, const fs::path& from, const fs::path& to) {
  const bool is_asset = value.starts_with(kAsset);
  const fs::path named = is_asset ? value.substr(kAsset.size()) : value;
  std::error_code ec;
  if (named.empty() || value.find('\0') != value.npos) return value;
  if (named.is_absolute()) return is_asset ? value : path_named_in(to, named);
  const fs::path file = from / named;
  if (!fs::exists(file, ec) || same(file, to / named)) return value;
  const fs::path relative = steps(to, file);
  return same(to / relative, file) ? relative.generic_string() : file.lexically_normal().generic_string();
}

using NewValue = std::function<void(const std::string& node, const std::string& param, const std::string& value)>;

/// The path parameters in a graph of the document that get other values.
void visit(const Graph& document, const Graph& graph, const fs::path& from, const fs::path& to, const NewValue& found) {
  for (const auto& [id, node] : graph.nodes()) {
    if (node.params.empty()) continue;
    const auto declared = declaration_of(document, node);
    if (!declared) continue;
    for (const ParamDecl& param : (*declared)->params()) {
      const auto given = node.params.find(param.id);
      const auto* path = given == node.params.end() ? nullptr : std::get_if<std::string>(&given->second);
      if (!path || param.type != ParamDecl::Type::path) continue;
      if (const std::string now = seen(*path, from, to); now != *path) found(id, param.id, now);
    }
  }
}

}  // namespace

std::string path_named_in(const fs::path& folder, const fs::path& file) {
  const fs::path inside = below(folder, file);
  return inside.empty() ? file.generic_string() : inside.generic_string();
}

Edits paths_seen_from(const Graph& document, const fs::path& from, const fs::path& to) {
  const fs::path before = real_folder(from), after = real_folder(to);
  Edits edits;
  if (before == after) return edits;
  visit(document, document, before, after, [&](const auto& node, const auto& param, const auto& value) {
    edits.push_back(SetParam{node, param, ParamValue(value)});
  });
  for (const auto& [id, group] : document.groups()) {
    Group changed = *group;
    visit(document, group->graph, before, after, [&](const auto& node, const auto& param, const auto& value) {
      changed.graph.node(node).params[param] = value;
    });
    if (!(changed == *group)) edits.push_back(SetGroup{std::move(changed)});
  }
  return edits;
}

std::vector<AssetRef> assets_outside(const Graph& flat, const fs::path& folder) {
  std::vector<AssetRef> outside;
  for (AssetRef& ref : asset_refs(flat)) {
    if (ref.kind == Kind::dataset || ref.path.starts_with(kAsset)) continue;
    if (below(folder, folder / ref.path).empty()) outside.push_back(std::move(ref));  // an absolute path stays itself
  }
  return outside;
}

}  // namespace hw
