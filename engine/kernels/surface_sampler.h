// sample_surface: points spread uniformly over the area of a mesh. The algorithm, step by step (every device follows
// it):
//   1. Once per mesh, in f64: area of each triangle (half the length of the cross product of two edges), and the
//   running
//      sum over the triangles in order.
//   2. Point i of a step: r = philox_block(seed, stream, step, i), four 32-bit numbers.
//   3. u = (r0 · 2^32 + r1) >> 11, times 2^-53; the triangle is the first whose running sum exceeds u · total: never
//      one without area.
//   4. s = √uniform01(r2), t = uniform01(r3); barycentric weights 1 − s, s (1 − t), s t.
//   5. position, normal (normalised), uv: weighted sums over the corners. Without uvs: uv = 0.
//   6. colour: the texture of the triangle's part, sampled bilinearly (outside its square as the part's wraps
//      say; texel centres at + 0.5; v up, so row = (1 − v) · height), sRGB-encoded values ÷ 255, in [0, 1]; 1 without
//      texture or uvs; times base_color; times the weighted sum of the corners' colours where the mesh has any.
// Steps 4 to 6 run in f32 (ref: f64, with code of its own).
#pragma once

#include <cmath>
#include <vector>

#include "engine/core/mesh.h"
#include "engine/core/philox.h"
#include "engine/core/result.h"
#include "engine/kernels/body.h"

namespace hw::kernels {

/// Step 1 for one mesh, and the part each triangle belongs to. Immutable after make_surface_table.
struct SurfaceTable {
  std::vector<double> cumulative;  // one per triangle, in the units of the mesh, squared
  std::vector<uint32_t> part;      // index into Mesh::parts; kNoPart: none covers the triangle
  uint32_t last = 0;               // the last triangle with area
  static constexpr uint32_t kNoPart = ~0u;
};

/// Error HW-A003 when the mesh has no area, or an area that is not finite.
Result<SurfaceTable> make_surface_table(const Mesh& mesh);

/// A mesh as plain arrays, on any device; three floats a vertex (uvs: two). uvs and colours may be null.
struct MeshArrays {
  const float *positions = nullptr, *normals = nullptr, *uvs = nullptr, *colours = nullptr;
  const uint32_t* triangles = nullptr;  // three vertices each
  const double* cumulative = nullptr;
  int64_t triangle_count = 0;
  uint32_t last = 0;
};
MeshArrays arrays_of(const Mesh& mesh, const SurfaceTable& table);

/// What a triangle's part adds to its colour. rgba null: no texture.
struct PartArrays {
  const uint8_t* rgba = nullptr;
  int width = 0, height = 0;
  Wrap wrap_u = Wrap::repeat, wrap_v = Wrap::repeat;
  float base_color[3] = {0.8f, 0.8f, 0.8f};  // of triangles that no part covers
};
/// The arrays of the part that a triangle belongs to.
PartArrays part_of(const Mesh& mesh, const SurfaceTable& table, uint32_t triangle);

/// Step 3.
HW_BODY uint32_t pick_triangle(const MeshArrays& mesh, uint32_t r0, uint32_t r1) {
  const double u = static_cast<double>((uint64_t{r0} << 32 | r1) >> 11) * 0x1p-53;
  const double target = u * mesh.cumulative[mesh.triangle_count - 1];
  int64_t low = 0, high = mesh.triangle_count;
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    if (mesh.cumulative[middle] > target)
      high = middle;
    else
      low = middle + 1;
  }
  return low < static_cast<int64_t>(mesh.last) ? static_cast<uint32_t>(low) : mesh.last;  // u · total may round up
}
uint32_t pick_triangle(const SurfaceTable& table, uint32_t r0, uint32_t r1);

/// Step 4.
HW_BODY void barycentric(uint32_t r2, uint32_t r3, float weights[3]) {
  const float s = std::sqrt(uniform01(r2)), t = uniform01(r3);
  weights[0] = 1.0f - s;
  weights[1] = s * (1.0f - t);
  weights[2] = s * t;
}

/// A coordinate of the uv square for one that may lie outside it.
HW_BODY float wrap_coordinate(float u, Wrap wrap) {
  if (wrap == Wrap::clamp) return u > 0.0f ? (u < 1.0f ? u : 1.0f) : 0.0f;  // NaN: 0
  if (wrap == Wrap::repeat) return u - std::floor(u);
  const float twice = u - 2.0f * std::floor(0.5f * u);
  return twice > 1.0f ? 2.0f - twice : twice;
}

/// Texel index, in [0, n), of a whole coordinate at most one texel outside; 0 for what is not finite. Beside the border
/// of a mirrored texture lies the border's own texel.
HW_BODY int wrap_texel(float i, int n, Wrap wrap) {
  const float size = static_cast<float>(n);
  if (wrap != Wrap::repeat) return i > 0.0f ? static_cast<int>(i < size - 1.0f ? i : size - 1.0f) : 0;
  const float inside = i - size * std::floor(i / size);
  return inside >= 0.0f && inside < size ? static_cast<int>(inside) : 0;
}

/// The four texels about a point of a texture, and how far it lies from the first ones.
struct Texels {
  int column[2], row[2];
  float right, down;
  /// Offset of the first texel of row j, in bytes.
  HW_BODY int64_t at(int j, int width) const { return (static_cast<int64_t>(row[j]) * width + column[0]) * 4; }
};
HW_BODY Texels texels_about(const PartArrays& part, float u, float v) {
  const float x = wrap_coordinate(u, part.wrap_u) * static_cast<float>(part.width) - 0.5f;
  const float y = wrap_coordinate(1.0f - v, part.wrap_v) * static_cast<float>(part.height) - 0.5f;
  const float x0 = std::floor(x), y0 = std::floor(y);
  return {{wrap_texel(x0, part.width, part.wrap_u), wrap_texel(x0 + 1.0f, part.width, part.wrap_u)},
          {wrap_texel(y0, part.height, part.wrap_v), wrap_texel(y0 + 1.0f, part.height, part.wrap_v)},
          x - x0,
          y - y0};
}

/// Step 6 without base_color. rgba: width · height · 4 bytes, rows top to bottom.
HW_BODY void mix_texels(const uint8_t* rgba, int width, const Texels& t, float colour[3]) {
  for (int c = 0; c < 3; ++c) {
    float line[2];
    for (int j = 0; j < 2; ++j) {
      const uint8_t* texels = rgba + static_cast<int64_t>(t.row[j]) * width * 4;
      const float left = static_cast<float>(texels[t.column[0] * 4 + c]);
      const float right = static_cast<float>(texels[t.column[1] * 4 + c]);
      line[j] = left * (1.0f - t.right) + right * t.right;
    }
    colour[c] = (line[0] * (1.0f - t.down) + line[1] * t.down) * (1.0f / 255.0f);
  }
}
HW_BODY void sample_texture(const PartArrays& part, float u, float v, float colour[3]) {
  mix_texels(part.rgba, part.width, texels_about(part, u, v), colour);
}

/// One sampled point.
struct SurfacePoint {
  float position[3], normal[3], uv[2], colour[3];
};

/// A mesh whose normals cancel out still gets a unit vector.
HW_BODY void normalise(float n[3]) {
  const float length = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  if (length > 0.0f) {
    for (int d = 0; d < 3; ++d) n[d] /= length;
  } else {
    n[0] = n[1] = 0.0f;
    n[2] = 1.0f;
  }
}

/// Steps 4 and 5 for a point of a triangle that was picked; its colour is that of the corners, 1 without.
HW_BODY SurfacePoint point_of_triangle(const MeshArrays& mesh, uint32_t triangle, uint32_t r2, uint32_t r3) {
  SurfacePoint p{};
  float weights[3];
  barycentric(r2, r3, weights);
  for (int corner = 0; corner < 3; ++corner) {
    const int64_t v = mesh.triangles[int64_t{3} * triangle + corner];
    const float w = weights[corner];
    for (int d = 0; d < 3; ++d) {
      p.position[d] += w * mesh.positions[3 * v + d];
      p.normal[d] += w * mesh.normals[3 * v + d];
    }
    for (int d = 0; d < 3 && mesh.colours; ++d) p.colour[d] += w * mesh.colours[3 * v + d];
    for (int d = 0; d < 2 && mesh.uvs; ++d) p.uv[d] += w * mesh.uvs[2 * v + d];
  }
  normalise(p.normal);
  for (int c = 0; c < 3 && !mesh.colours; ++c) p.colour[c] = 1.0f;
  return p;
}

/// Step 6 for the colour of a point of a triangle; `texels`: about its uv, where the part has a texture.
HW_BODY void colour_point(const MeshArrays& mesh, const PartArrays& part, const Texels& texels, float colour[3]) {
  float texture[3] = {1.0f, 1.0f, 1.0f};
  if (part.rgba && mesh.uvs) mix_texels(part.rgba, part.width, texels, texture);
  for (int c = 0; c < 3; ++c) colour[c] = texture[c] * (part.base_color[c] * colour[c]);
}

/// Steps 4 to 6.
HW_BODY SurfacePoint sample_triangle(const MeshArrays& mesh, const PartArrays& part, uint32_t triangle, uint32_t r2,
                                     uint32_t r3) {
  SurfacePoint p = point_of_triangle(mesh, triangle, r2, r3);
  Texels texels{};
  if (part.rgba && mesh.uvs) texels = texels_about(part, p.uv[0], p.uv[1]);
  colour_point(mesh, part, texels, p.colour);
  return p;
}

}  // namespace hw::kernels
