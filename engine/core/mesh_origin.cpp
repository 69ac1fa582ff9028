#include "engine/core/mesh_origin.h"

#include <algorithm>

#include "engine/core/mesh.h"

namespace hw {
namespace {

constexpr double kFar = 64;           // extents
constexpr double kShows = 1.0 / 256;  // of a mesh's size

Point place_of(const Mesh& mesh, const std::array<float, 3>& p) {
  return {p[0] + mesh.origin[0], p[1] + mesh.origin[1], p[2] + mesh.origin[2]};
}

}  // namespace

void SpaceBox::add(const Point& p) {
  for (size_t axis = 0; axis < 3; ++axis) {
    low[axis] = std::min(low[axis], p[axis]);
    high[axis] = std::max(high[axis], p[axis]);
  }
}

double SpaceBox::extent() const {
  return std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
}

double SpaceBox::farthest() const {
  double far = 0;
  for (size_t axis = 0; axis < 3; ++axis) far = std::max({far, std::abs(low[axis]), std::abs(high[axis])});
  return far;
}

SpaceBox box_of(const Mesh& mesh) {
  SpaceBox box;
  for (const auto& p : mesh.positions) box.add(place_of(mesh, p));
  return box;
}

Point origin_to_take(const SpaceBox& box) {
  const double extent = box.extent();
  Point origin{};
  if (!(extent > 0) || !(box.farthest() > kFar * extent) || !std::isfinite(box.farthest())) return origin;
  const double grain = std::pow(10, std::floor(std::log10(extent)));
  for (size_t axis = 0; axis < 3; ++axis) {
    const double middle = box.low[axis] + 0.5 * (box.high[axis] - box.low[axis]);
    origin[axis] = static_cast<float>(std::round(middle / grain) * grain);
  }
  return origin;
}

double step_at(double position) {
  const auto far = static_cast<float>(position);
  return double{std::nextafter(far, INFINITY)} - far;
}

double lost_step(const SpaceBox& box, const Point& origin) {
  SpaceBox near = box;
  for (size_t axis = 0; axis < 3; ++axis) {
    near.low[axis] -= origin[axis];
    near.high[axis] -= origin[axis];
  }
  const double extent = near.extent();
  const double step = extent > 0 ? step_at(near.farthest()) : 0;
  return step > kShows * extent ? step : 0;
}

double lost_step(const Mesh& mesh, const Point& origin) {
  double step = 0;
  for (const MeshPart& part : mesh.parts) {
    SpaceBox box;
    for (size_t i = part.first_triangle; i < size_t{part.first_triangle} + part.triangle_count; ++i)
      for (const uint32_t vertex : mesh.triangles[i]) box.add(place_of(mesh, mesh.positions[vertex]));
    step = std::max(step, lost_step(box, origin));
  }
  return step;
}

}  // namespace hw
