// From a read-back G-buffer to colours: gathers the covered pixels, evaluates the field on them, packs the result.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "app/viewport/camera.h"
#include "app/viewport/gbuffer.h"
#include "engine/core/color_field.h"

namespace hw::viewport {

/// The covered pixels of one G-buffer, rows top to bottom, as plain arrays that outlive it.
struct Points {
  int width = 0;
  int height = 0;
  std::vector<uint32_t> pixels;  // y * width + x
  std::vector<Float3> positions;
  std::vector<Float3> normals;
};

/// Copies the covered pixels. The G-buffer's submission must have finished.
Points gather_points(const GBuffer& gbuffer);

/// Evaluates in blocks, asking `cancelled` before each. HW-V011 when the field returns another number of colours than
/// asked for, HW-V012 when cancelled; the field's own errors pass through.
Result<std::vector<Float3>> evaluate_field(const ColorField& field, const Points& points,
                                           const std::function<bool()>& cancelled = {});

/// Writes clamped RGBA8 at the covered pixels of `out` (width * height, zeroed elsewhere).
void pack_colors(const Points& points, std::span<const Float3> colors, std::span<uint32_t> out);

}  // namespace hw::viewport
