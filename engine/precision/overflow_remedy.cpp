#include "engine/precision/overflow_remedy.h"

#include <algorithm>
#include <set>

#include "engine/core/magnitudes.h"

namespace hw {

Result<std::string> overflow_remedy(const Program& program, ValueId first, const XrayItem& item,
                                    const std::function<Result<Tensor>(ValueId)>& read) {
  const std::string dtype(name(item.dtype)), &node = item.node;
  if (!item.causes.empty())
    return "Compute " + node + " in a wider dtype than " + dtype + ", or choose a number that " + dtype + " holds.";
  if (info(item.dtype).max >= info(DType::f32).max)
    return "Keep the inputs of " + node + " smaller, or compute it in f64.";
  std::set<ValueId> bad{first};
  std::string last, finite;
  for (const Instr& instr : program.instrs) {
    const bool reads = std::ranges::any_of(instr.in, [&](ValueId in) { return bad.contains(in); });
    if (!reads || instr.backward != item.backward) continue;
    for (const ValueId out : instr.out) {
      HW_TRY(const Tensor value, read(out));
      if (magnitudes_of(value).finite()) {
        last = program.nodes[instr.node];
        finite = program[out].name;
      } else {
        bad.insert(out);
      }
    }
  }
  if (last.empty() || last == node)
    return "Compute " + node + " in a wider dtype than " + dtype + ", or keep its inputs smaller.";
  return "Keep " + node + " … " + last + " in a wider dtype than " + dtype + ": cast to f32 before " + node +
         " and back after " + last + ". " + (finite.empty() ? "What " + last + " makes" : finite) +
         " is finite again, and wrong.";
}

}  // namespace hw
