// Which triangle of a mesh each texel of its uv square shows, and what lies there on the surface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/core/mesh.h"
#include "engine/core/result.h"

namespace hw {

/// A run of a mesh's triangles.
struct TriangleRange {
  uint32_t first = 0, count = 0;
};

/// One picture over the uv square, repeated in every direction as textures are. Texel (x, y), row 0 at v = 1, has its
/// centre at u = (x + ½)/size, v = 1 − (y + ½)/size.
struct UvRaster {
  static constexpr uint32_t kNone = ~0u;
  int size = 0;
  std::vector<uint32_t> triangle;  // size · size; the triangle under the texel's centre, or kNone
  size_t covered = 0;              // texels with a triangle under their centre
  size_t overlapping = 0;          // of these: texels that a second, distant place of the surface asks for, too
  std::vector<uint32_t> refused;   // the triangles that ask for these, in order, each once
  double area = 0, lost_area = 0;  // of the triangles in object units²; of those without area in uv
};

/// HW-A003 for a mesh whose texture coordinates cannot hold a picture of its own.
Error unusable_uvs(const Mesh& mesh, std::string reason);

/// Triangles that share an edge never share a texel (corners snapped to 1/256 texel, top-left rule, exact integers).
/// The first of two triangles over one texel stays; they overlap when their places differ by more than 1e-3 of the
/// bounds' diagonal. `mesh.uvs` must not be empty. Error HW-A003: a triangle wider than the uv square, or a coordinate
/// beyond ±1e6.
Result<UvRaster> rasterise_uvs(const Mesh& mesh, std::span<const TriangleRange> ranges, int size);

/// Gives the empty texels within `texels` steps (8 neighbours, across the border as well) of a covered one the triangle
/// of a neighbour, so that filtering at a seam finds the surface's own colour.
void grow_gutter(UvRaster& raster, int texels);

/// A point on a mesh: the input of a field.
struct SurfacePoint {
  std::array<float, 3> position, normal;  // object space; unit length
};

/// The point of `triangle` nearest in uv to the texel's centre; the centre itself where the triangle covers it.
SurfacePoint surface_at_texel(const Mesh& mesh, uint32_t triangle, int x, int y, int size);

}  // namespace hw
