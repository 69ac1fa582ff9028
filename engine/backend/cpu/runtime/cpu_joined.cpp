// Which ops are joined to the parts of the op before them: what a part leaves is still in its thread's cache, and
// threads need not wait for each other in between.
#include <algorithm>

#include "engine/backend/cpu/runtime/cpu_plan.h"
#include "engine/program/op_sources.h"

namespace hw::cpu {
namespace {

/// Where a value lies: bytes of the scratch of a thread, of the arena, or of memory that no other value has.
struct Range {
  size_t memory;  // those that differ do not overlap
  size_t begin, end;

  Range(ValueId value, const Operand& whole, const plan::ValuePlace& place)
      : memory(place.place == plan::Place::scratch ? 0
               : place.place == plan::Place::arena ? 1
               : place.place == plan::Place::none  ? 2
                                                   : 3 + value),
        begin(place.offset) {
    end = begin + byte_count(whole.dtype, whole.size());
  }
  bool operator==(const Range&) const = default;
  bool meets(const Range& other) const { return memory == other.memory && begin < other.end && other.begin < end; }
};

}  // namespace

size_t CpuPlan::joined_calls(const Step& step, const std::vector<TiledCall>& calls, size_t at) const {
  const Program& p = *program_;
  const TileKernel* maker = kernels_[calls[at].instr].tile.get();
  if (p.regions != Regions::always || !maker || maker->parts() == 0) return 0;
  std::vector<Range> read, touched;  // by the maker's other parts; by what is joined, element for element
  const auto add = [&](std::vector<Range>& list, const std::vector<Operand>& operands,
                       const std::vector<ValueId>& values) {
    for (size_t k = 0; k < operands.size(); ++k)
      if (const plan::ValuePlace& place = memory_.values[values[k]]; place.place != plan::Place::strip)
        list.emplace_back(values[k], operands[k], place);
  };
  const Instr& made = p.instrs[calls[at].instr];
  add(read, calls[at].in, made.in);
  add(touched, calls[at].out, made.out);
  const Dims& dims = p[made.out[0]].dims;
  size_t count = 0;
  for (; at + 1 + count < calls.size(); ++count) {
    const TiledCall& call = calls[at + 1 + count];
    const Instr& instr = p.instrs[call.instr];
    if (!is_pointwise(p, instr) || p[instr.out[0]].dims != dims) break;
    add(touched, call.in, instr.in);
    std::vector<Range> written;
    add(written, call.out, instr.out);
    const bool safe = std::ranges::all_of(written, [&](const Range& w) {
      return std::ranges::none_of(read, [&](const Range& r) { return w.meets(r); }) &&
             std::ranges::none_of(touched, [&](const Range& t) { return w.meets(t) && w != t; });
    });
    if (!safe) break;
    add(touched, call.out, instr.out);
  }
  // A region goes whole: its values have memory for a strip alone.
  for (const plan::Region& region : step.regions)
    if (region.first <= at + count && at + count < region.first + region.count - 1) return 0;
  return count;
}

}  // namespace hw::cpu
