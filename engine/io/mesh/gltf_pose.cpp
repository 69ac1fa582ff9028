#include "engine/io/mesh/gltf_pose.h"

#include <algorithm>
#include <set>

#include "engine/io/mesh/gltf_json.h"

namespace hw {
namespace {

using gltf::element;
using gltf::index;
using gltf::list;
using gltf::member;
using nlohmann::json;

std::string name_of(const json& object, const char* kind, size_t i) {
  const json& name = member(object, "name");
  return hw::called(name.is_string() ? name.get<std::string>() : "", kind, i);
}

/// A node's own weights, else its mesh's; without targets there is nothing to weigh.
bool is_morphed(const json& node, const json& mesh) {
  const json& own = list(node, "weights");
  const json& weights = own.empty() ? list(mesh, "weights") : own;
  const json& primitives = list(mesh, "primitives");
  return std::any_of(weights.begin(), weights.end(), [](const json& w) { return w.is_number() && w != 0; }) &&
         std::any_of(primitives.begin(), primitives.end(), [](const json& p) { return !list(p, "targets").empty(); });
}

void rename_members(std::string& bytes, size_t from, size_t size, std::string_view quoted_name) {
  const std::string_view all(bytes);
  for (size_t at = all.find(quoted_name, from); at < from + size; at = all.find(quoted_name, at + 1)) {
    const size_t behind = all.find_first_not_of(" \t\r\n", at + quoted_name.size());
    if (behind < from + size && all[behind] == ':') bytes[at + 1] = '_';
  }
}

}  // namespace

UnreadPoses unread_poses(const json& gltf) {
  UnreadPoses poses;
  const json& animations = list(gltf, "animations");
  std::set<size_t> with_skin, with_weights;
  for (const json& node : list(gltf, "nodes")) {
    const auto mesh = index(member(node, "mesh"));
    if (!mesh) continue;
    const json& m = element(gltf, "meshes", *mesh);
    if (index(member(node, "skin")) && with_skin.insert(*mesh).second)
      poses.skinned.push_back(name_of(m, "mesh", *mesh));
    if (!with_weights.contains(*mesh) && is_morphed(node, m)) {
      with_weights.insert(*mesh);
      poses.morphed.push_back(name_of(m, "mesh", *mesh));
    }
  }
  for (size_t i = 0; i < animations.size(); ++i) poses.animations.push_back(name_of(animations[i], "animation", i));
  return poses;
}

std::optional<std::string> without_skins(std::string_view bytes, std::string_view text, const json& gltf) {
  const json& skins = list(gltf, "skins");
  if (std::all_of(skins.begin(), skins.end(), [](const json& s) { return index(member(s, "inverseBindMatrices")); }))
    return std::nullopt;
  std::string out(bytes);
  // The length stays the same, so that no chunk changes its size.
  const auto from = static_cast<size_t>(text.data() - bytes.data());
  for (const std::string_view name : {"\"skins\"", "\"skin\""}) rename_members(out, from, text.size(), name);
  return out;
}

}  // namespace hw
