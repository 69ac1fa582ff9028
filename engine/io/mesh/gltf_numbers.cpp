#include "engine/io/mesh/gltf_numbers.h"

#include <algorithm>

#include "engine/io/mesh/gltf_json.h"

namespace hw {
namespace {

using gltf::called;
using gltf::list;
using gltf::member;
using nlohmann::json;

/// A member may be absent. `count` 1: a number, not a list of one.
Status check(const json& object, const char* name, size_t count, const std::string& of) {
  const json& value = member(object, name);
  if (value.is_null() || (count == 1 && value.is_number())) return ok();
  if (count > 1 && value.is_array() && value.size() == count &&
      std::all_of(value.begin(), value.end(), [](const json& x) { return x.is_number(); }))
    return ok();
  const std::string wanted = count == 1 ? "no number" : "not " + std::to_string(count) + " numbers";
  return Error{"", "", of + " has a" + (name[0] == 'o' ? "n " : " ") + name + " that is " + wanted, ""};
}

/// Every KHR_texture_transform in a material.
Status check_transforms(const json& value, const std::string& of, int depth = 0) {
  constexpr int kDeepest = 16;
  if (!value.is_structured() || depth > kDeepest) return ok();
  const json& transform = member(value, "KHR_texture_transform");
  HW_CHECK(check(transform, "offset", 2, of));
  HW_CHECK(check(transform, "scale", 2, of));
  HW_CHECK(check(transform, "rotation", 1, of));
  for (const json& inner : value) HW_CHECK(check_transforms(inner, of, depth + 1));
  return ok();
}

}  // namespace

Status check_gltf_numbers(const json& gltf) {
  const json &nodes = list(gltf, "nodes"), &materials = list(gltf, "materials");
  for (size_t i = 0; i < nodes.size(); ++i) {
    const std::string of = "the node " + called(nodes[i], i);
    HW_CHECK(check(nodes[i], "matrix", 16, of));
    HW_CHECK(check(nodes[i], "rotation", 4, of));
    HW_CHECK(check(nodes[i], "scale", 3, of));
    HW_CHECK(check(nodes[i], "translation", 3, of));
  }
  for (size_t i = 0; i < materials.size(); ++i) {
    const json& m = materials[i];
    const std::string of = "the material " + called(m, i);
    HW_CHECK(check(member(m, "pbrMetallicRoughness"), "baseColorFactor", 4, of));
    const json& gloss = member(member(m, "extensions"), "KHR_materials_pbrSpecularGlossiness");
    HW_CHECK(check(gloss, "diffuseFactor", 4, of));
    HW_CHECK(check_transforms(m, "KHR_texture_transform of " + of));
  }
  return ok();
}

}  // namespace hw
