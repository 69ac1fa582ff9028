// What is taken off the positions of a mesh that lies far from the origin, so that f32 holds them.
#pragma once

#include <array>
#include <cmath>

namespace hw {

struct Mesh;

/// A point, in the units of the model.
using Point = std::array<double, 3>;

/// Corners of a box that grows with what it is given.
struct SpaceBox {
  Point low{INFINITY, INFINITY, INFINITY}, high{-INFINITY, -INFINITY, -INFINITY};
  void add(const Point& p);
  /// The longest side; negative when nothing was added.
  double extent() const;
  /// The largest coordinate, without its sign.
  double farthest() const;
};

/// Where a mesh's positions lie, with its origin put back.
SpaceBox box_of(const Mesh& mesh);

/// What to take off positions in `box`. Zero while they lie within 64 times their extent of the origin: f32 has 18 bits
/// for the extent then. Else their middle, rounded to the extent's power of ten, and a whole f32 in each coordinate.
Point origin_to_take(const SpaceBox& box);

/// The distance of neighbouring f32 positions of that size, in their units.
double step_at(double position);
/// The same for a mesh in `box` of which `origin` is taken off, where the step shows: above 1/256 of the mesh's size;
/// else 0.
double lost_step(const SpaceBox& box, const Point& origin);
/// The largest of a mesh's parts, were that its origin.
double lost_step(const Mesh& mesh, const Point& origin);

}  // namespace hw
