#include "app/viewport/cpu_shading.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/core/codes.h"

namespace hw::viewport {
namespace {

// Large enough to feed a batched matmul, small enough that a cancelled evaluation ends within a few milliseconds.
constexpr size_t kBlock = 16384;

uint32_t to_byte(float value) {
  return value > 0 ? static_cast<uint32_t>(std::lround(std::min(value, 1.0f) * 255.0f)) : 0u;  // NaN reads as 0
}

}  // namespace

Points gather_points(const GBuffer& gbuffer) {
  Points points;
  points.width = static_cast<int>(gbuffer.extent().width);
  points.height = static_cast<int>(gbuffer.extent().height);
  const auto positions = gbuffer.positions();
  const auto normals = gbuffer.normals();
  const auto covered =
      static_cast<size_t>(std::count_if(positions.begin(), positions.end(), [](const auto& p) { return p[3] > 0.5f; }));
  points.pixels.reserve(covered);
  points.positions.reserve(covered);
  points.normals.reserve(covered);
  for (size_t i = 0; i < positions.size(); ++i) {
    if (positions[i][3] <= 0.5f) continue;
    points.pixels.push_back(static_cast<uint32_t>(i));
    points.positions.push_back({positions[i][0], positions[i][1], positions[i][2]});
    points.normals.push_back(
        {half_to_float(normals[i][0]), half_to_float(normals[i][1]), half_to_float(normals[i][2])});
  }
  return points;
}

Result<std::vector<Float3>> evaluate_field(const ColorField& field, const Points& points,
                                           const std::function<bool()>& cancelled) {
  std::vector<Float3> colors;
  colors.reserve(points.positions.size());
  for (size_t from = 0; from < points.positions.size(); from += kBlock) {
    if (cancelled && cancelled()) return Error{codes::picture_cancelled, "", "The evaluation was cancelled.", ""};
    const size_t count = std::min(kBlock, points.positions.size() - from);
    HW_TRY(const auto block,
           field(std::span(points.positions).subspan(from, count), std::span(points.normals).subspan(from, count)));
    if (block.size() != count)
      return Error{codes::wrong_colour_count, "",
                   "The field returned " + std::to_string(block.size()) + " colours for " + std::to_string(count) +
                       " positions.",
                   "Check that the field's output has one row for each position."};
    colors.insert(colors.end(), block.begin(), block.end());
  }
  return colors;
}

void pack_colors(const Points& points, std::span<const Float3> colors, std::span<uint32_t> out) {
  std::fill(out.begin(), out.end(), 0u);
  for (size_t i = 0; i < points.pixels.size(); ++i) {
    const Float3& c = colors[i];
    out[points.pixels[i]] = to_byte(c[0]) | to_byte(c[1]) << 8 | to_byte(c[2]) << 16 | 0xff000000u;
  }
}

}  // namespace hw::viewport
