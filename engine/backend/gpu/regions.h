// Regions: neighbouring elementwise ops that a driver computes as one kernel, so that what one leaves for the next is
// never in memory. The same ops run one by one where a probe looks, and where the driver has no kernel for them.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "engine/backend/plan/memory_plan.h"
#include "engine/kernels/stored.h"
#include "engine/kernels/strided_index.h"

namespace hw::gpu {

struct Region {
  size_t first = 0, count = 0;           // of Program::instrs
  std::vector<ValueId> inputs, outputs;  // what it reads and does not make; what is read of it outside

  size_t last() const { return first + count - 1; }
};

/// What its kernel works on: `size` elements of each output; `at`: where an input has what belongs to an element.
struct RegionOperands {
  std::vector<kernels::Source> in;
  std::vector<kernels::StridedIndex> at;
  std::vector<kernels::Target> out;
  int64_t size = 0;
};

inline constexpr size_t kMostRegionOps = 32, kMostRegionInputs = 16;

/// In order, none overlapping: two and more instructions behind each other that `fits` takes, whose outputs have the
/// same dims. `keep`: as Device::compile.
std::vector<Region> regions_of(const Program& program, std::span<const ValueId> keep,
                               const std::function<bool(size_t instr)>& fits);

/// Error HW-R002: an input is stretched along more axes than a kernel counts.
Result<RegionOperands> operands_of(const Program& program, const Region& region, std::span<void* const> data);

}  // namespace hw::gpu
