#include "engine/backend/plan/regions.h"

#include "engine/core/sizes.h"
#include "engine/program/op_sources.h"

namespace hw::plan {
std::vector<Region> elementwise_regions(const Program& p, const Step& step) {
  constexpr int64_t kFew = 16 * kStrip;
  std::vector<Region> regions;
  const Dims* dims = nullptr;  // of the region that goes on
  for (size_t k = 0; step.rows > 0 && k < step.instrs.size(); ++k) {
    const Instr& instr = p.instrs[step.instrs[k]];
    const bool strips =
        is_pointwise(p, instr) && element_count(p[instr.out[0]].dims) / step.rows * step.tile_rows > kFew;
    if (strips && dims && p[instr.out[0]].dims == *dims)
      ++regions.back().count;
    else if (strips)
      regions.push_back({k, 1});
    dims = strips ? &p[instr.out[0]].dims : nullptr;
  }
  return regions;
}

}  // namespace hw::plan
