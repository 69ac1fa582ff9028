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

// A mesh whose normals cancel out still gets a unit vector.
void normalise(float n[3]) {
  const float length = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  if (length > 0.0f) {
    for (int d = 0; d < 3; ++d) n[d] /= length;
  } else {
    n[0] = n[1] = 0.0f;
    n[2] = 1.0f;
  }
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

uint32_t pick_triangle(const SurfaceTable& table, uint32_t r0, uint32_t r1) {
  const double u = static_cast<double>((uint64_t{r0} << 32 | r1) >> 11) * 0x1p-53;
  const auto& sums = table.cumulative;
  const auto it = std::upper_bound(sums.begin(), sums.end(), u * sums.back());
  return std::min(static_cast<uint32_t>(it - sums.begin()), table.last);  // u · total may round up to the total
}

SurfacePoint sample_triangle(const Mesh& mesh, const SurfaceTable& table, uint32_t triangle, const Philox4& r) {
  SurfacePoint p{};
  float weights[3], corner_colour[3] = {};
  barycentric(r[2], r[3], weights);
  for (size_t corner = 0; corner < 3; ++corner) {
    const uint32_t v = mesh.triangles[triangle][corner];
    const float w = weights[corner];
    for (size_t d = 0; d < 3; ++d) {
      p.position[d] += w * mesh.positions[v][d];
      p.normal[d] += w * mesh.normals[v][d];
    }
    for (size_t d = 0; d < 3 && !mesh.colours.empty(); ++d) corner_colour[d] += w * mesh.colours[v][d];
    for (size_t d = 0; d < 2 && !mesh.uvs.empty(); ++d) p.uv[d] += w * mesh.uvs[v][d];
  }
  normalise(p.normal);
  const uint32_t index = table.part[triangle];
  const MeshPart none;
  const MeshPart& part = index == SurfaceTable::kNoPart ? none : mesh.parts[index];
  for (float& c : p.colour) c = 1.0f;
  if (part.texture && part.texture->width > 0 && !mesh.uvs.empty())
    sample_texture(part.texture->rgba.data(), part.texture->width, part.texture->height, p.uv[0], p.uv[1], p.colour);
  for (size_t c = 0; c < 3; ++c) p.colour[c] *= part.base_color[c] * (mesh.colours.empty() ? 1.0f : corner_colour[c]);
  return p;
}

SurfacePoint sample_point(const Mesh& mesh, const SurfaceTable& table, const Philox4& r) {
  return sample_triangle(mesh, table, pick_triangle(table, r[0], r[1]), r);
}

}  // namespace hw::kernels
