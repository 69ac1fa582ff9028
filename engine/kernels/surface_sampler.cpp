// sample_surface on the host: the area table, and one point.
#include "engine/kernels/surface_sampler.h"

#include <algorithm>

#include "engine/core/codes.h"

namespace hw::kernels {
namespace {

double triangle_area(const Mesh& mesh, const std::array<uint32_t, 3>& t) {
  double a[3], b[3];
  for (size_t d = 0; d < 3; ++d) {
    a[d] = double{mesh.positions[t[1]][d]} - double{mesh.positions[t[0]][d]};
    b[d] = double{mesh.positions[t[2]][d]} - double{mesh.positions[t[0]][d]};
  }
  const double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
  return 0.5 * std::sqrt(x * x + y * y + z * z);
}

}  // namespace

Result<SurfaceTable> make_surface_table(const Mesh& mesh) {
  SurfaceTable table;
  double total = 0;
  for (const auto& triangle : mesh.triangles) table.cumulative.push_back(total += triangle_area(mesh, triangle));
  if (!(total > 0) || !std::isfinite(total))
    return Error{codes::asset_lacks, mesh.name,
                 "The mesh has no surface to sample: its area is " + std::to_string(total) + ".",
                 "Choose a mesh with triangles."};
  const auto last = std::lower_bound(table.cumulative.begin(), table.cumulative.end(), total);
  table.last = static_cast<uint32_t>(last - table.cumulative.begin());
  table.part.assign(mesh.triangles.size(), SurfaceTable::kNoPart);
  for (uint32_t p = 0; p < mesh.parts.size(); ++p) {
    const MeshPart& part = mesh.parts[p];
    const size_t end = std::min(table.part.size(), size_t{part.first_triangle} + part.triangle_count);
    for (size_t t = part.first_triangle; t < end; ++t) table.part[t] = p;
  }
  return table;
}

MeshArrays arrays_of(const Mesh& mesh, const SurfaceTable& table) {
  MeshArrays a;
  a.positions = mesh.positions.data()->data();
  a.normals = mesh.normals.data()->data();
  if (!mesh.uvs.empty()) a.uvs = mesh.uvs.data()->data();
  if (!mesh.colours.empty()) a.colours = mesh.colours.data()->data();
  a.triangles = mesh.triangles.data()->data();
  a.cumulative = table.cumulative.data();
  a.triangle_count = static_cast<int64_t>(table.cumulative.size());
  a.last = table.last;
  return a;
}

PartArrays part_of(const Mesh& mesh, const SurfaceTable& table, uint32_t triangle) {
  PartArrays a;
  const uint32_t index = table.part[triangle];
  if (index == SurfaceTable::kNoPart) return a;
  const MeshPart& part = mesh.parts[index];
  if (part.texture && part.texture->width > 0) {
    a.rgba = part.texture->rgba.data();
    a.width = part.texture->width;
    a.height = part.texture->height;
    a.wrap_u = part.wrap_u;
    a.wrap_v = part.wrap_v;
  }
  for (size_t c = 0; c < 3; ++c) a.base_color[c] = part.base_color[c];
  return a;
}

uint32_t pick_triangle(const SurfaceTable& table, uint32_t r0, uint32_t r1) {
  MeshArrays sums;
  sums.cumulative = table.cumulative.data();
  sums.triangle_count = static_cast<int64_t>(table.cumulative.size());
  sums.last = table.last;
  return pick_triangle(sums, r0, r1);
}

}  // namespace hw::kernels
