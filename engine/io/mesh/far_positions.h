// Models that lie far from the origin, as maps and scans do: what is taken off their positions, so that f32 holds them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "engine/core/mesh_origin.h"

namespace hw {

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
