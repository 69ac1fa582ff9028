// Regions: neighbouring elementwise ops that a device computes strip by strip, so that what one leaves for the next is
// still in its cache.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/backend/plan/step.h"

namespace hw::plan {

/// Elements of a strip: as f32, half of a 64 KiB L1 cache.
inline constexpr int64_t kStrip = 8192;

/// Of the ops `instrs` (indices into Program::instrs, in order): runs of pointwise ones whose values have the same
/// dims and rows longer than a strip. Shorter rows are few enough in a tile to stay in the cache.
std::vector<Region> elementwise_regions(const Program& program, const std::vector<size_t>& instrs);

}  // namespace hw::plan
