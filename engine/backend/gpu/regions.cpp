#include "engine/backend/gpu/regions.h"

#include <algorithm>

#include "engine/backend/gpu/layout.h"
#include "engine/core/sizes.h"

namespace hw::gpu {
namespace {

constexpr size_t kNever = ~size_t{0};

// By value: the last instruction that reads it; kNever where it stays readable.
std::vector<size_t> last_readers(const Program& p, std::span<const ValueId> keep) {
  std::vector<size_t> last(p.values.size(), 0);
  for (size_t i = 0; i < p.instrs.size(); ++i)
    for (const ValueId v : p.instrs[i].in) last[v] = i;
  for (const ValueId v : keep) last[v] = kNever;
  for (const Port& port : p.outputs) last[port.value] = kNever;
  return last;
}

bool holds(const std::vector<ValueId>& values, ValueId v) {
  return std::ranges::find(values, v) != values.end();
}

}  // namespace

std::vector<Region> regions_of(const Program& p, std::span<const ValueId> keep,
                               const std::function<bool(size_t)>& fits) {
  const std::vector<size_t> last = last_readers(p, keep);
  std::vector<Region> regions;
  std::vector<ValueId> made, read;  // of the run that goes on
  size_t first = 0;
  const auto end = [&](size_t behind) {
    if (made.size() > 1) {
      Region region{first, made.size(), read, {}};
      std::ranges::copy_if(made, std::back_inserter(region.outputs), [&](ValueId v) { return last[v] >= behind; });
      if (!region.outputs.empty()) regions.push_back(std::move(region));
    }
    made.clear();
    read.clear();
  };
  for (size_t i = 0; i < p.instrs.size(); ++i) {
    const Instr& instr = p.instrs[i];
    if (!fits(i) || element_count(p[instr.out[0]].dims) == 0) {
      end(i);
      continue;
    }
    std::vector<ValueId> more;
    for (const ValueId v : instr.in)
      if (!holds(made, v) && !holds(read, v) && !holds(more, v)) more.push_back(v);
    if (!made.empty() && (p[instr.out[0]].dims != p[made[0]].dims || made.size() == kMostRegionOps ||
                          read.size() + more.size() > kMostRegionInputs)) {
      end(i);
      more.clear();
      for (const ValueId v : instr.in)
        if (!holds(more, v)) more.push_back(v);
    }
    if (made.empty()) first = i;
    read.insert(read.end(), more.begin(), more.end());
    made.push_back(instr.out[0]);
  }
  end(p.instrs.size());
  return regions;
}

Result<RegionOperands> operands_of(const Program& p, const Region& region, std::span<void* const> data) {
  const Dims& dims = p[p.instrs[region.first].out[0]].dims;
  RegionOperands operands;
  operands.size = element_count(dims);
  for (const ValueId v : region.inputs) {
    operands.in.push_back({p[v].dtype, data[v]});
    HW_TRY(kernels::StridedIndex at, make_strided_index(broadcast_axes(p[v].dims, dims)));
    operands.at.push_back(at);
  }
  for (const ValueId v : region.outputs) operands.out.push_back({p[v].dtype, data[v]});
  return operands;
}

}  // namespace hw::gpu
