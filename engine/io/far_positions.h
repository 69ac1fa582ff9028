// Models that lie far from the origin, as maps and scans do: what is taken off their positions, so that f32 holds them.
#pragma once

#include <array>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace hw {

/// A point, in the units of the model.
using Point = std::array<double, 3>;

/// Corners of a box that grows with what it is given.
struct Box {
  Point low{INFINITY, INFINITY, INFINITY}, high{-INFINITY, -INFINITY, -INFINITY};
  void add(const Point& p);
  /// The longest side; negative when nothing was added.
  double extent() const;
  /// The largest coordinate, without its sign.
  double farthest() const;
};

/// What to take off positions in `box`. Zero while they lie within 64 times their extent of the origin: f32 has 18 bits
/// for the extent then. Else their middle, rounded to the extent's power of ten, and a whole f32 in each coordinate.
Point origin_to_take(const Box& box);

/// A model's file with an origin taken off its positions in f64.
struct NearModel {
  std::string bytes;
  Point origin;
};
/// For formats that hold more than f32, by the name's ending: .obj, .off, ASCII .stl, .ply in text or doubles. None
/// when the model is near, the format another, the file larger than 256 MB, or not as its format says.
std::optional<NearModel> bring_near(const std::filesystem::path& file);

/// The text of an .obj with `origin` added to its positions in f64.
std::string put_back(std::string_view obj, const Point& origin);

}  // namespace hw
