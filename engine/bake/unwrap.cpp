#include "engine/bake/unwrap.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "engine/bake/uv_raster.h"
#include "engine/core/codes.h"

namespace hw {
namespace {

constexpr int kSmoothing = 3;        // passes that give lone triangles to the chart around them
constexpr double kMinFacing = 0.35;  // how much a triangle must face a chart's axis to be given to it
constexpr int kMaxRepairs = 8;

using Double2 = std::array<double, 2>;
using Double3 = std::array<double, 3>;

/// Axes 0 to 5: +x −x +y −y +z −z.
double along(const Double3& v, int axis) {
  const double c = v[static_cast<size_t>(axis / 2)];
  return axis % 2 ? -c : c;
}

/// A place in the plane seen from an axis; the surface is not mirrored.
Double2 project(const std::array<float, 3>& p, int axis) {
  const auto a = static_cast<size_t>(axis / 2);
  const double x = p[(a + 1) % 3], y = p[(a + 2) % 3];
  return axis % 2 ? Double2{y, x} : Double2{x, y};
}

Double3 unit_normal(const Mesh& mesh, uint32_t triangle) {
  const auto& t = mesh.triangles[triangle];
  std::array<Double3, 2> e;
  for (size_t k = 0; k < 2; ++k)
    for (size_t i = 0; i < 3; ++i) e[k][i] = double{mesh.positions[t[k + 1]][i]} - mesh.positions[t[0]][i];
  const auto& [a, b] = e;
  Double3 n{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  const double length = std::hypot(n[0], n[1], n[2]);
  for (double& c : n) c = length > 0 ? c / length : 0;
  return n;
}

/// Pairs of triangles that share an edge, by place: doubled vertices are one.
std::vector<std::array<uint32_t, 2>> neighbours(const Mesh& mesh) {
  std::vector<uint32_t> order(mesh.positions.size()), welded(mesh.positions.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return mesh.positions[a] < mesh.positions[b]; });
  for (size_t i = 0; i < order.size(); ++i) {
    const bool same = i > 0 && mesh.positions[order[i]] == mesh.positions[order[i - 1]];
    welded[order[i]] = same ? welded[order[i - 1]] : order[i];
  }
  std::vector<std::array<uint32_t, 3>> edges;
  for (uint32_t t = 0; t < mesh.triangles.size(); ++t)
    for (size_t k = 0; k < 3; ++k) {
      const auto [a, b] = std::minmax(welded[mesh.triangles[t][k]], welded[mesh.triangles[t][(k + 1) % 3]]);
      edges.push_back({a, b, t});
    }
  std::sort(edges.begin(), edges.end());
  std::vector<std::array<uint32_t, 2>> pairs;
  for (size_t i = 1; i < edges.size(); ++i)
    if (edges[i][0] == edges[i - 1][0] && edges[i][1] == edges[i - 1][1])
      pairs.push_back({edges[i - 1][2], edges[i][2]});
  return pairs;
}

/// A chart's box in the projection, and its place in the texture.
struct Chart {
  int axis = 0;
  Double2 low{INFINITY, INFINITY}, high{-INFINITY, -INFINITY};
  std::array<int, 2> at{};  // texels from the top left
};

class Unwrapper {
 public:
  explicit Unwrapper(const Mesh& mesh) : mesh_(mesh), pairs_(neighbours(mesh)), group_(mesh.triangles.size()) {
    std::vector<Double3> normals;
    for (uint32_t t = 0; t < mesh.triangles.size(); ++t) {
      normals.push_back(unit_normal(mesh, t));
      int best = 0;
      for (int axis = 1; axis < 6; ++axis)
        if (along(normals[t], axis) > along(normals[t], best)) best = axis;
      group_[t] = best;
    }
    for (int pass = 0; pass < kSmoothing; ++pass) smooth(normals);
  }

  /// Triangles that lie over others of their chart make charts of their own.
  void separate(const std::vector<uint32_t>& triangles) {
    for (const uint32_t t : triangles) group_[t] += 6;
  }

  Result<Mesh> place(int size, int padding) {
    make_charts();
    if (!pack(size, padding)) {
      return Error{codes::asset_lacks, mesh_.name,
                   "the surface falls into " + std::to_string(charts_.size()) + " charts, too many for a texture of " +
                       std::to_string(size) + " texels a side.",
                   "Choose a larger size."};
    }
    return with_uvs(size);
  }

 private:
  void smooth(const std::vector<Double3>& normals) {
    std::vector<std::array<int, 6>> around(group_.size());
    for (const auto& [a, b] : pairs_) {
      ++around[a][static_cast<size_t>(group_[b])];
      ++around[b][static_cast<size_t>(group_[a])];
    }
    for (size_t t = 0; t < group_.size(); ++t) {
      const auto most = static_cast<int>(std::max_element(around[t].begin(), around[t].end()) - around[t].begin());
      if (around[t][static_cast<size_t>(most)] >= 2 && around[t][static_cast<size_t>(group_[t])] < 2 &&
          along(normals[t], most) > kMinFacing)
        group_[t] = most;
    }
  }

  uint32_t root(uint32_t t) {
    while (parent_[t] != t) t = parent_[t] = parent_[parent_[t]];
    return t;
  }

  void make_charts() {
    parent_.resize(group_.size());
    std::iota(parent_.begin(), parent_.end(), 0u);
    for (const auto& [a, b] : pairs_)
      if (group_[a] == group_[b]) parent_[std::max(root(a), root(b))] = std::min(root(a), root(b));
    charts_.clear();
    chart_of_.assign(group_.size(), 0);
    for (uint32_t t = 0; t < group_.size(); ++t) {
      const uint32_t first = root(t);  // ≤ t
      if (first == t) {
        chart_of_[t] = static_cast<uint32_t>(charts_.size());
        charts_.push_back({.axis = group_[t] % 6});
      }
      chart_of_[t] = chart_of_[first];
      Chart& chart = charts_[chart_of_[t]];
      for (const uint32_t vertex : mesh_.triangles[t]) {
        const Double2 p = project(mesh_.positions[vertex], chart.axis);
        for (size_t i = 0; i < 2; ++i) {
          chart.low[i] = std::min(chart.low[i], p[i]);
          chart.high[i] = std::max(chart.high[i], p[i]);
        }
      }
    }
  }

  std::array<int, 2> extent(const Chart& chart, double scale, int padding) const {
    std::array<int, 2> texels;
    for (size_t i = 0; i < 2; ++i)
      texels[i] = static_cast<int>(std::ceil(std::min(1e6, (chart.high[i] - chart.low[i]) * scale))) + 1 + padding;
    return texels;
  }

  /// Rows of charts, tallest first.
  bool fits(double scale, int size, int padding) {
    int x = 0, y = 0, row = 0;
    for (const uint32_t index : by_height_) {
      Chart& chart = charts_[index];
      const auto [width, height] = extent(chart, scale, padding);
      if (width > size) return false;
      if (x + width > size) {
        x = 0;
        y += row;
        row = 0;
      }
      chart.at = {x, y};
      x += width;
      row = std::max(row, height);
      if (y + row > size) return false;
    }
    return true;
  }

  bool pack(int size, int padding) {
    by_height_.resize(charts_.size());
    std::iota(by_height_.begin(), by_height_.end(), 0u);
    std::stable_sort(by_height_.begin(), by_height_.end(), [&](uint32_t a, uint32_t b) {
      return charts_[a].high[1] - charts_[a].low[1] > charts_[b].high[1] - charts_[b].low[1];
    });
    double longest = 0;
    for (const Chart& chart : charts_)
      longest = std::max({longest, chart.high[0] - chart.low[0], chart.high[1] - chart.low[1]});
    double low = 0, high = longest > 0 ? size / longest : 1.0;
    for (int i = 0; i < 40; ++i) {
      const double middle = 0.5 * (low + high);
      (fits(middle, size, padding) ? low : high) = middle;
    }
    padding_ = padding;
    scale_ = low;
    return low > 0 && fits(low, size, padding);
  }

  Mesh with_uvs(int size) const {
    Mesh out;
    out.name = mesh_.name;
    out.origin = mesh_.origin;
    out.parts = mesh_.parts;
    out.bounds_min = mesh_.bounds_min;
    out.bounds_max = mesh_.bounds_max;
    std::map<std::array<uint32_t, 2>, uint32_t> known;  // (vertex, chart) → new vertex
    for (uint32_t t = 0; t < mesh_.triangles.size(); ++t) {
      const Chart& chart = charts_[chart_of_[t]];
      std::array<uint32_t, 3> triangle;
      for (size_t k = 0; k < 3; ++k) {
        const uint32_t vertex = mesh_.triangles[t][k];
        const auto [found, added] =
            known.emplace(std::array{vertex, chart_of_[t]}, static_cast<uint32_t>(out.positions.size()));
        triangle[k] = found->second;
        if (!added) continue;
        out.positions.push_back(mesh_.positions[vertex]);
        out.normals.push_back(mesh_.normals[vertex]);
        if (!mesh_.colours.empty()) out.colours.push_back(mesh_.colours[vertex]);
        const Double2 p = project(mesh_.positions[vertex], chart.axis);
        // Half the padding on each side, half a texel so that the border is not cut.
        const double x = chart.at[0] + 0.5 * (1 + padding_) + (p[0] - chart.low[0]) * scale_;
        const double y = chart.at[1] + 0.5 * (1 + padding_) + (chart.high[1] - p[1]) * scale_;
        out.uvs.push_back({static_cast<float>(x / size), static_cast<float>(1 - y / size)});
      }
      out.triangles.push_back(triangle);
    }
    return out;
  }

  const Mesh& mesh_;
  std::vector<std::array<uint32_t, 2>> pairs_;
  std::vector<int> group_;  // axis, plus 6 for each repair
  std::vector<uint32_t> parent_, chart_of_, by_height_;
  std::vector<Chart> charts_;
  double scale_ = 0;
  int padding_ = 0;
};

}  // namespace

Result<Mesh> unwrap(const Mesh& mesh, int size, int padding) {
  Unwrapper unwrapper(mesh);
  HW_TRY(Mesh out, unwrapper.place(size, padding));
  const TriangleRange whole{0, static_cast<uint32_t>(mesh.triangles.size())};
  // A chart that winds like a spiral stair lies over itself.
  for (int repair = 0; repair < kMaxRepairs; ++repair) {
    HW_TRY(const UvRaster raster, rasterise_uvs(out, std::span(&whole, 1), size));
    if (raster.refused.empty()) break;
    unwrapper.separate(raster.refused);
    HW_TRY(out, unwrapper.place(size, padding));
  }
  return out;
}

}  // namespace hw
