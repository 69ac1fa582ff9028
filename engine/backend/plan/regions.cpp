#include "engine/backend/plan/regions.h"

#include "engine/core/sizes.h"
#include "engine/program/op_sources.h"

namespace hw::plan {
namespace {

bool has_long_rows(const Dims& dims) {
  return !dims.empty() && dims[0] > 0 && element_count(dims) / dims[0] > kStrip;
}

}  // namespace

std::vector<Region> elementwise_regions(const Program& p, const std::vector<size_t>& instrs) {
  std::vector<Region> regions;
  const Dims* dims = nullptr;  // of the region that goes on
  for (size_t k = 0; k < instrs.size(); ++k) {
    const Instr& instr = p.instrs[instrs[k]];
    const bool strips = is_pointwise(p, instr) && has_long_rows(p[instr.out[0]].dims);
    if (strips && dims && p[instr.out[0]].dims == *dims)
      ++regions.back().count;
    else if (strips)
      regions.push_back({k, 1});
    dims = strips ? &p[instr.out[0]].dims : nullptr;
  }
  return regions;
}

}  // namespace hw::plan
