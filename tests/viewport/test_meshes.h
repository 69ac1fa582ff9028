// Meshes and fields made in code for the viewport's tests.
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "app/viewport/camera.h"
#include "engine/core/color_field.h"
#include "engine/core/mesh.h"

namespace hw::viewport::test {

/// A smooth picture: neighbouring texels differ by little, so bilinear filtering is easy to predict.
inline std::shared_ptr<const Image> smooth_texture(int size) {
  auto image = std::make_shared<Image>();
  image->width = image->height = size;
  for (int y = 0; y < size; ++y)
    for (int x = 0; x < size; ++x) {
      const double u = 6.2831853 * (x + 0.5) / size, v = 6.2831853 * (y + 0.5) / size;
      const double rgb[3] = {0.5 + 0.5 * std::sin(u), 0.5 + 0.5 * std::cos(v), 0.5 + 0.5 * std::sin(u + v)};
      for (const double c : rgb) image->rgba.push_back(static_cast<uint8_t>(std::lround(c * 255)));
      image->rgba.push_back(255);
    }
  return image;
}

/// The square [-1,1]² at z = 0, facing +Z; uv (0,0) bottom left to (1,1) top right.
inline Mesh quad(std::shared_ptr<const Image> texture) {
  Mesh mesh;
  mesh.name = "quad";
  mesh.positions = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
  mesh.normals.assign(4, {0, 0, 1});
  mesh.uvs = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
  MeshPart part;
  part.triangle_count = 2;
  if (texture) part.base_color = {1, 1, 1, 1};
  part.texture = std::move(texture);
  mesh.parts = {part};
  mesh.bounds_min = {-1, -1, 0};
  mesh.bounds_max = {1, 1, 0};
  return mesh;
}

/// The cube [-1,1]³ with a normal for each face and no texture coordinates.
inline Mesh cube() {
  Mesh mesh;
  mesh.name = "cube";
  for (int axis = 0; axis < 3; ++axis)
    for (const float side : {-1.0f, 1.0f}) {
      const auto base = static_cast<uint32_t>(mesh.positions.size());
      for (const auto& [a, b] : {std::pair{-1.0f, -1.0f}, {1.0f, -1.0f}, {1.0f, 1.0f}, {-1.0f, 1.0f}}) {
        std::array<float, 3> p{}, n{};
        p[axis] = n[axis] = side;
        p[(axis + 1) % 3] = a;
        p[(axis + 2) % 3] = b;
        mesh.positions.push_back(p);
        mesh.normals.push_back(n);
      }
      mesh.triangles.push_back({base, base + 1, base + 2});
      mesh.triangles.push_back({base, base + 2, base + 3});
    }
  MeshPart part;
  part.triangle_count = 12;
  mesh.parts = {part};
  mesh.bounds_min = {-1, -1, -1};
  mesh.bounds_max = {1, 1, 1};
  return mesh;
}

/// Colour = 0.5 + 0.5 p: a field that shows where each pixel lies.
inline ColorField position_field() {
  return [](std::span<const Float3> positions, std::span<const Float3>) -> Result<std::vector<Float3>> {
    std::vector<Float3> colors;
    for (const Float3& p : positions) colors.push_back({0.5f + 0.5f * p[0], 0.5f + 0.5f * p[1], 0.5f + 0.5f * p[2]});
    return colors;
  };
}

/// Samples `image` bilinearly with repeat at the quad's uv, in double precision: the textured render's own formula.
inline ColorField texture_field(std::shared_ptr<const Image> image) {
  return [image](std::span<const Float3> positions, std::span<const Float3>) -> Result<std::vector<Float3>> {
    const int w = image->width, h = image->height;
    const auto texel = [&](int x, int y, int c) {
      return image->rgba[(static_cast<size_t>((y % h + h) % h) * w + (x % w + w) % w) * 4 + c] / 255.0;
    };
    std::vector<Float3> colors;
    for (const Float3& p : positions) {
      const double x = (0.5 + 0.5 * p[0]) * w - 0.5, y = (0.5 - 0.5 * p[1]) * h - 0.5;
      const int x0 = static_cast<int>(std::floor(x)), y0 = static_cast<int>(std::floor(y));
      const double s = x - x0, t = y - y0;
      Float3 color{};
      for (int c = 0; c < 3; ++c)
        color[c] = static_cast<float>((1 - t) * ((1 - s) * texel(x0, y0, c) + s * texel(x0 + 1, y0, c)) +
                                      t * ((1 - s) * texel(x0, y0 + 1, c) + s * texel(x0 + 1, y0 + 1, c)));
      colors.push_back(color);
    }
    return colors;
  };
}

}  // namespace hw::viewport::test
