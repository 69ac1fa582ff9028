// Regions: neighbouring elementwise ops that a device computes strip by strip, so that what one leaves for the next is
// still in its cache.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/backend/plan/step.h"

namespace hw::plan {

/// Elements of a strip: as f32 32 KiB, so that those of a few values stay in an L2 cache.
inline constexpr int64_t kStrip = 8192;

/// The runs of pointwise ops of a tiled step whose values have the same dims and take more than 16 strips in a tile.
/// Less stays in the cache from op to op as it is.
std::vector<Region> elementwise_regions(const Program& program, const Step& step);

}  // namespace hw::plan
