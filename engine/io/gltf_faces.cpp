#include "engine/io/gltf_faces.h"

#include <algorithm>
#include <array>

#include "engine/io/gltf_json.h"

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
  size_t vertices = 0, behind = 0;  // that are there; indices behind the last face
};

/// Nothing for points and lines, which are not read, and for compressed meshes.
Lost lost_of(const json& gltf, const json& primitive, GltfBuffers& buffers) {
  Lost lost;
  const json& mode_of = member(primitive, "mode");
  const size_t mode = mode_of.is_null() ? size_t{kTriangles} : index(mode_of).value_or(0);
  const auto at = index(member(primitive, "indices"));
  const auto positions = index(member(member(primitive, "attributes"), "POSITION"));
  if (mode < kTriangles || mode > kFan || !at || !positions) return lost;
  if (!member(member(primitive, "extensions"), "KHR_draco_mesh_compression").is_null()) return lost;
  const auto indices = indices_of(gltf, *at, buffers);
  const auto vertices = index(member(gltf::element(gltf, "accessors", *positions), "count"));
  if (!indices || !vertices) return lost;
  lost.vertices = *vertices;
  const size_t count = indices->elements.count, step = mode == kTriangles ? 3 : 1;
  lost.of = count < 3 ? 0 : mode == kTriangles ? count / 3 : count - 2;
  lost.behind = mode == kTriangles || count < 3 ? count % 3 : 0;
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
      if (lost.behind > 0)
        warnings.push_back(std::to_string(lost.behind) + (lost.behind == 1 ? " index" : " indices") +
                           " at the end of " + of + (lost.behind == 1 ? " makes" : " make") +
                           " no triangle: left out. Export it again; the file may be damaged.");
    }
  }
  return warnings;
}

}  // namespace hw
