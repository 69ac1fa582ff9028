// Faults planted in the adjoint of a program.
#pragma once

#include <stdexcept>

#include "engine/program/program.h"

namespace hw::test {

/// Edits one instruction of a program.
class Spoiler {
 public:
  Spoiler(Program& program, size_t at) : p_(program), at_(at) {}
  Instr& instr() { return p_.instrs[at_]; }
  bool is(Op op) { return instr().op == op; }
  template <class A>
  A& attr() {
    return std::get<A>(instr().attr);
  }
  const Dims& dims(ValueId id) const { return p_[id].dims; }
  /// What the first forward instruction of the node with this op reads, or gives.
  const Instr& forward(Op op) const {
    for (const Instr& i : p_.instrs)
      if (!i.backward && i.op == op && i.node == p_.instrs[at_].node) return i;
    throw std::logic_error("no such op");
  }
  /// The instruction hands on its input `k`, times `factor`.
  bool pass(size_t k, double factor = 1) {
    instr() = {Op::scale, {instr().in[k]}, instr().out, ScaleAttr{factor}, instr().node, true};
    return true;
  }
  /// The result of the instruction becomes `factor` times as much.
  bool multiply(double factor) {
    Instr& i = instr();
    Value value = p_[i.out.front()];
    value.name.clear();
    const auto made = static_cast<ValueId>(p_.values.size());
    p_.values.push_back(std::move(value));
    const ValueId out = i.out.front();
    i.out.front() = made;
    p_.instrs.insert(p_.instrs.begin() + static_cast<std::ptrdiff_t>(at_) + 1,
                     Instr{Op::scale, {made}, {out}, ScaleAttr{factor}, p_.instrs[at_].node, true});
    return true;
  }

 private:
  Program& p_;
  size_t at_;
};

}  // namespace hw::test
