#include "engine/bake/uv_raster.h"

#include <algorithm>
#include <cmath>

#include "engine/core/codes.h"

namespace hw {
namespace {

constexpr int64_t kSubTexels = 256;
constexpr double kOverlapDistance = 1e-3;  // of the bounds' diagonal
constexpr double kMaxUv = 1e6;             // beyond it a float no longer distinguishes texels

using Double2 = std::array<double, 2>;
using Point = std::array<int64_t, 2>;  // in 1/256 texel, y down

Double2 minus(const Double2& a, const Double2& b) {
  return {a[0] - b[0], a[1] - b[1]};
}
double cross(const Double2& a, const Double2& b) {
  return a[0] * b[1] - a[1] * b[0];
}
double dot(const Double2& a, const Double2& b) {
  return a[0] * b[0] + a[1] * b[1];
}

std::array<Double2, 3> uvs_of(const Mesh& mesh, uint32_t triangle) {
  std::array<Double2, 3> uv;
  for (size_t k = 0; k < 3; ++k) {
    const auto& corner = mesh.uvs[mesh.triangles[triangle][k]];
    uv[k] = {corner[0], corner[1]};
  }
  return uv;
}

double area_of(const Mesh& mesh, uint32_t triangle) {
  std::array<std::array<double, 3>, 2> edge;
  const auto& t = mesh.triangles[triangle];
  for (size_t k = 0; k < 2; ++k)
    for (size_t i = 0; i < 3; ++i) edge[k][i] = double{mesh.positions[t[k + 1]][i]} - mesh.positions[t[0]][i];
  const auto& [a, b] = edge;
  return 0.5 * std::hypot(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]);
}

/// Barycentric weights of the point of the triangle nearest to `p`.
std::array<double, 3> nearest_weights(const std::array<Double2, 3>& uv, const Double2& p) {
  const double doubled = cross(minus(uv[1], uv[0]), minus(uv[2], uv[0]));
  if (doubled != 0) {
    std::array<double, 3> w;
    for (size_t k = 0; k < 3; ++k)
      w[k] = cross(minus(uv[(k + 2) % 3], uv[(k + 1) % 3]), minus(p, uv[(k + 1) % 3])) / doubled;
    if (w[0] >= 0 && w[1] >= 0 && w[2] >= 0) return w;
  }
  std::array<double, 3> best{1, 0, 0};
  double best_distance = INFINITY;
  for (size_t k = 0; k < 3; ++k) {
    const Double2& a = uv[k];
    const Double2 along = minus(uv[(k + 1) % 3], a), to = minus(p, a);
    const double length = dot(along, along);
    const double t = length > 0 ? std::clamp(dot(to, along) / length, 0.0, 1.0) : 0.0;
    const Double2 off = minus(to, {t * along[0], t * along[1]});
    if (dot(off, off) >= best_distance) continue;
    best_distance = dot(off, off);
    best = {};
    best[k] = 1 - t;
    best[(k + 1) % 3] = t;
  }
  return best;
}

/// One raster in the making.
struct Filler {
  const Mesh& mesh;
  UvRaster& raster;
  double overlap_squared;

  void claim(uint32_t triangle, int x, int y) {
    uint32_t& owner =
        raster.triangle[static_cast<size_t>(y) * static_cast<size_t>(raster.size) + static_cast<size_t>(x)];
    if (owner == UvRaster::kNone) {
      owner = triangle;
      ++raster.covered;
      return;
    }
    const SurfacePoint a = surface_at_texel(mesh, owner, x, y, raster.size);
    const SurfacePoint b = surface_at_texel(mesh, triangle, x, y, raster.size);
    double squared = 0;
    for (size_t i = 0; i < 3; ++i) {
      const double d = double{a.position[i]} - b.position[i];
      squared += d * d;
    }
    if (squared <= overlap_squared) return;
    ++raster.overlapping;
    if (raster.refused.empty() || raster.refused.back() != triangle) raster.refused.push_back(triangle);
  }

  void fill(uint32_t triangle, std::array<Point, 3> p) {
    const auto edge = [](const Point& a, const Point& b, const Point& c) {
      return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    };
    if (edge(p[0], p[1], p[2]) < 0) std::swap(p[1], p[2]);
    // A centre on an edge belongs to the triangle whose top or left edge it is.
    std::array<int64_t, 3> least;
    for (size_t k = 0; k < 3; ++k) {
      const Point &a = p[k], &b = p[(k + 1) % 3];
      least[k] = b[1] < a[1] || (b[1] == a[1] && b[0] > a[0]) ? 0 : 1;
    }
    const auto [min_x, max_x] = std::minmax({p[0][0], p[1][0], p[2][0]});
    const auto [min_y, max_y] = std::minmax({p[0][1], p[1][1], p[2][1]});
    for (int64_t y = min_y / kSubTexels; y <= max_y / kSubTexels; ++y)
      for (int64_t x = min_x / kSubTexels; x <= max_x / kSubTexels; ++x) {
        const Point centre{x * kSubTexels + kSubTexels / 2, y * kSubTexels + kSubTexels / 2};
        if (edge(p[0], p[1], centre) < least[0] || edge(p[1], p[2], centre) < least[1] ||
            edge(p[2], p[0], centre) < least[2])
          continue;
        claim(triangle, static_cast<int>(x % raster.size), static_cast<int>(y % raster.size));
      }
  }
};

}  // namespace

Error unusable_uvs(const Mesh& mesh, std::string reason) {
  return {codes::asset_lacks, mesh.name, std::move(reason),
          "Let the bake make new texture coordinates, or unwrap the mesh in a modelling program."};
}

Result<UvRaster> rasterise_uvs(const Mesh& mesh, std::span<const TriangleRange> ranges, int size) {
  assert(size > 0 && mesh.uvs.size() == mesh.positions.size());
  UvRaster raster;
  raster.size = size;
  raster.triangle.assign(static_cast<size_t>(size) * static_cast<size_t>(size), UvRaster::kNone);
  double diagonal_squared = 0;
  for (size_t i = 0; i < 3; ++i) {
    const double side = double{mesh.bounds_max[i]} - mesh.bounds_min[i];
    diagonal_squared += side * side;
  }
  Filler filler{mesh, raster, kOverlapDistance * kOverlapDistance * diagonal_squared};
  for (const TriangleRange& range : ranges) {
    for (uint32_t t = range.first; t < range.first + range.count; ++t) {
      const std::array<Double2, 3> uv = uvs_of(mesh, t);
      const double area = area_of(mesh, t);
      raster.area += area;
      const auto [min_u, max_u] = std::minmax({uv[0][0], uv[1][0], uv[2][0]});
      const auto [min_v, max_v] = std::minmax({uv[0][1], uv[1][1], uv[2][1]});
      const bool sound = std::all_of(uv.begin(), uv.end(), [](const Double2& c) {
        return std::abs(c[0]) < kMaxUv && std::abs(c[1]) < kMaxUv;  // false for NaN
      });
      if (!sound)
        return unusable_uvs(mesh, "triangle " + std::to_string(t) + " has a texture coordinate beyond a million.");
      if (cross(minus(uv[1], uv[0]), minus(uv[2], uv[0])) == 0) {
        raster.lost_area += area;
        continue;
      }
      if (max_u - min_u > 1 || max_v - min_v > 1)
        return unusable_uvs(mesh,
                            "triangle " + std::to_string(t) + " is wider than the whole texture, which repeats on it.");
      std::array<Point, 3> p;
      const double left = std::floor(min_u), top = std::ceil(max_v);
      for (size_t k = 0; k < 3; ++k)
        p[k] = {std::llround((uv[k][0] - left) * size * kSubTexels),
                std::llround((top - uv[k][1]) * size * kSubTexels)};
      filler.fill(t, p);
    }
  }
  return raster;
}

void grow_gutter(UvRaster& raster, int texels) {
  const int size = raster.size;
  const auto index = [size](int x, int y) {
    return static_cast<size_t>((y + size) % size) * static_cast<size_t>(size) + static_cast<size_t>((x + size) % size);
  };
  std::vector<size_t> front;
  for (size_t i = 0; i < raster.triangle.size(); ++i)
    if (raster.triangle[i] != UvRaster::kNone) front.push_back(i);
  for (int step = 0; step < texels && !front.empty(); ++step) {
    std::vector<size_t> next;
    for (const size_t from : front) {
      const int x = static_cast<int>(from % static_cast<size_t>(size)),
                y = static_cast<int>(from / static_cast<size_t>(size));
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
          const size_t to = index(x + dx, y + dy);
          if (raster.triangle[to] != UvRaster::kNone) continue;
          raster.triangle[to] = raster.triangle[from];
          next.push_back(to);
        }
    }
    front = std::move(next);
  }
}

SurfacePoint surface_at_texel(const Mesh& mesh, uint32_t triangle, int x, int y, int size) {
  const std::array<Double2, 3> uv = uvs_of(mesh, triangle);
  Double2 p{(x + 0.5) / size, 1 - (y + 0.5) / size};
  for (size_t i = 0; i < 2; ++i) {
    // The one of the texel's repetitions that is beside the triangle.
    const auto [low, high] = std::minmax({uv[0][i], uv[1][i], uv[2][i]});
    p[i] += std::round(0.5 * (low + high) - p[i]);
  }
  const std::array<double, 3> w = nearest_weights(uv, p);
  std::array<double, 3> position{}, normal{};
  for (size_t k = 0; k < 3; ++k) {
    const uint32_t vertex = mesh.triangles[triangle][k];
    for (size_t i = 0; i < 3; ++i) {
      position[i] += w[k] * mesh.positions[vertex][i];
      normal[i] += w[k] * mesh.normals[vertex][i];
    }
  }
  const double length = std::hypot(normal[0], normal[1], normal[2]);
  SurfacePoint out;
  for (size_t i = 0; i < 3; ++i) {
    out.position[i] = static_cast<float>(position[i]);
    out.normal[i] = static_cast<float>(length > 0 ? normal[i] / length : normal[i]);
  }
  return out;
}

}  // namespace hw
