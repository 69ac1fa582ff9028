#include "engine/plan/overflow_remedy.h"

#include <algorithm>
#include <set>

#include "engine/core/magnitudes.h"

namespace hw {

Result<std::optional<FiniteAgain>> finite_again(const Program& program, ValueId first,
                                                const std::function<Result<Tensor>(ValueId)>& read) {
  const auto makes = [&](const Instr& instr) { return std::ranges::find(instr.out, first) != instr.out.end(); };
  const auto maker = std::ranges::find_if(program.instrs, makes);
  std::optional<FiniteAgain> last;
  if (maker == program.instrs.end()) return last;
  std::set<ValueId> bad{first};
  for (const Instr& instr : program.instrs) {
    const bool reads = std::ranges::any_of(instr.in, [&](ValueId in) { return bad.contains(in); });
    if (!reads || instr.backward != maker->backward) continue;
    for (const ValueId out : instr.out) {
      HW_TRY(const Tensor value, read(out));
      if (magnitudes_of(value).finite()) {
        last = {program.nodes[instr.node], program[out].name};
      } else {
        bad.insert(out);
      }
    }
  }
  if (last && last->node == program.nodes[maker->node]) last.reset();
  return last;
}

std::string keep_wide_text(const std::string& node, const FiniteAgain& until, DType dtype) {
  return "Keep " + node + " … " + until.node + " in a wider dtype than " + std::string(name(dtype)) +
         ": cast to f32 before " + node + " and back after " + until.node + ". " +
         (until.value.empty() ? "What " + until.node + " makes" : until.value) + " is finite again, and wrong.";
}

}  // namespace hw
