#include "engine/io/mesh/gltf_faces.h"

#include <algorithm>
#include <array>

#include "engine/io/mesh/gltf_json.h"

namespace hw {
namespace {

using gltf::index;
using gltf::list;
using gltf::member;
using nlohmann::json;

enum Mode : size_t { kTriangles = 4, kStrip = 5, kFan = 6 };

struct Lost {
  size_t faces = 0, of = 0;         // that name what is not there; all
  size_t first = 0, vertex = 0;     // the first of them, and what it names
  size_t vertices = 0, behind = 0;  // that are there; numbers behind the last face
  bool is_indexed = false;          // else vertices stand for their numbers
};

/// Nothing for points and lines, which are not read, and for compressed meshes.
Lost lost_of(const json& gltf, const json& primitive, GltfBuffers& buffers) {
  Lost lost;
  const json& mode_of = member(primitive, "mode");
  const size_t mode = mode_of.is_null() ? size_t{kTriangles} : index(mode_of).value_or(0);
  const auto at = index(member(primitive, "indices"));
  const auto positions = index(member(member(primitive, "attributes"), "POSITION"));
  if (mode < kTriangles || mode > kFan || !positions) return lost;
  if (!member(member(primitive, "extensions"), "KHR_draco_mesh_compression").is_null()) return lost;
  const auto indices = at ? indices_of(gltf, *at, buffers) : std::nullopt;
  const auto vertices = index(member(gltf::element(gltf, "accessors", *positions), "count"));
  if (at.has_value() != indices.has_value() || !vertices) return lost;
  lost.vertices = *vertices;
  lost.is_indexed = indices.has_value();
  const size_t count = indices ? indices->elements.count : *vertices, step = mode == kTriangles ? 3 : 1;
  lost.of = count < 3 ? 0 : mode == kTriangles ? count / 3 : count - 2;
  lost.behind = count < 3 ? count : mode == kTriangles ? count % 3 : 0;
  if (!indices) return lost;
  for (size_t face = 0; face < lost.of; ++face) {
    const size_t begin = face * step;
    const std::array<size_t, 3> corners{mode == kFan ? 0 : begin, begin + 1, begin + 2};
    for (const size_t corner : corners) {
      const uint32_t vertex = indices->at(corner);
      if (vertex < lost.vertices) continue;
      if (lost.faces++ == 0) lost.first = face, lost.vertex = vertex;
      break;
    }
  }
  return lost;
}

}  // namespace

Result<std::vector<std::string>> lost_faces(const json& gltf, GltfBuffers& buffers) {
  std::vector<std::string> warnings;
  const json& meshes = list(gltf, "meshes");
  for (size_t i = 0; i < meshes.size(); ++i) {
    const json& primitives = list(meshes[i], "primitives");
    const std::string mesh = "the mesh " + gltf::called(meshes[i], i);
    for (size_t k = 0; k < primitives.size(); ++k) {
      const Lost lost = lost_of(gltf, primitives[k], buffers);
      const std::string of = mesh + (primitives.size() > 1 ? ", primitive " + std::to_string(k) : "");
      const std::string first = "face " + std::to_string(lost.first) + " names vertex " + std::to_string(lost.vertex) +
                                ", and there are " + std::to_string(lost.vertices) + ", counted from 0";
      if (lost.faces > 0 && lost.faces == lost.of)
        return Error{"", "", "each face of " + of + " names a vertex that is not there (" + first + ")", ""};
      if (lost.faces > 0)
        warnings.push_back(std::to_string(lost.faces) + " of " + std::to_string(lost.of) + " faces of " + of +
                           (lost.faces == 1 ? " names a vertex that is" : " name vertices that are") +
                           " not there: left out, so that the surface has a hole (" + first +
                           "). Export it again; the file may be damaged.");
      const bool is_one = lost.behind == 1;
      const std::string behind = std::to_string(lost.behind) + (lost.is_indexed ? is_one ? " index" : " indices"
                                                                : is_one        ? " vertex"
                                                                                : " vertices");
      if (lost.behind > 0 && lost.of == 0)
        return Error{"", "", of + " has " + behind + ", which " + (is_one ? "makes" : "make") + " no triangle", ""};
      if (lost.behind > 0)
        warnings.push_back(behind + " at the end of " + of + (is_one ? " makes" : " make") +
                           " no triangle: left out. Export it again; the file may be damaged.");
    }
  }
  return warnings;
}

}  // namespace hw
