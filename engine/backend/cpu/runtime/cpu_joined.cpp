// Which ops are joined to the parts of the op before them: what a part leaves is still in its thread's cache, and
// threads need not wait for each other in between.
#include <algorithm>

#include "engine/backend/cpu/runtime/cpu_executable.h"
#include "engine/program/op_sources.h"

namespace hw::cpu {
namespace {

/// Where a value of a tile lies: in a thread's scratch, or elsewhere.
struct Range {
  bool in_scratch;
  uintptr_t begin, end;

  Range(const Operand& whole, plan::Place place)
      : in_scratch(place == plan::Place::scratch), begin(reinterpret_cast<uintptr_t>(whole.data)) {
    end = begin + byte_count(whole.dtype, whole.size());
  }
  bool operator==(const Range&) const = default;
  bool meets(const Range& other) const {
    return in_scratch == other.in_scratch && begin < other.end && other.begin < end;
  }
};

}  // namespace

size_t CpuExecutable::joined_calls(const Step& step, const std::vector<TiledCall>& calls, size_t at) const {
  const Program& p = *program_;
  const TileKernel* maker = kernels_[calls[at].instr].tile.get();
  if (!p.regions || !maker || maker->parts() == 0) return 0;
  std::vector<Range> read, touched;  // by the maker's other parts; by what is joined, element for element
  const auto add = [](std::vector<Range>& list, const std::vector<Operand>& operands,
                      const std::vector<plan::Place>& places) {
    for (size_t k = 0; k < operands.size(); ++k)
      if (places[k] != plan::Place::strip) list.emplace_back(operands[k], places[k]);
  };
  add(read, calls[at].in, calls[at].in_place);
  add(touched, calls[at].out, calls[at].out_place);
  const Dims& dims = p[p.instrs[calls[at].instr].out[0]].dims;
  size_t count = 0;
  for (; at + 1 + count < calls.size(); ++count) {
    const TiledCall& call = calls[at + 1 + count];
    const Instr& instr = p.instrs[call.instr];
    if (!is_pointwise(p, instr) || p[instr.out[0]].dims != dims) break;
    add(touched, call.in, call.in_place);
    std::vector<Range> written;
    add(written, call.out, call.out_place);
    const bool safe = std::ranges::all_of(written, [&](const Range& w) {
      return std::ranges::none_of(read, [&](const Range& r) { return w.meets(r); }) &&
             std::ranges::none_of(touched, [&](const Range& t) { return w.meets(t) && w != t; });
    });
    if (!safe) break;
    add(touched, call.out, call.out_place);
  }
  // A region goes whole: its values have memory for a strip alone.
  for (const plan::Region& region : step.regions)
    if (region.first <= at + count && at + count < region.first + region.count - 1) return 0;
  return count;
}

}  // namespace hw::cpu
