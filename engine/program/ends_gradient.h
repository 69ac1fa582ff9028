// Where the way of a gradient ends.
#pragma once

#include <algorithm>

#include "engine/program/program.h"

namespace hw {

/// Whether what `instr` reads gets no gradient through it: stop_gradient, or only integers and booleans come out.
inline bool ends_gradient(const Program& program, const Instr& instr) {
  const auto is_float = [&](ValueId v) { return info(program[v].dtype).is_float; };
  return instr.op == Op::stop_gradient || std::ranges::none_of(instr.out, is_float);
}

}  // namespace hw
