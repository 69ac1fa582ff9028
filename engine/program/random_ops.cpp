#include "engine/program/random_ops.h"

namespace hw {

bool is_random(const Instr& instr) {
  const auto* cast = std::get_if<CastAttr>(&instr.attr);
  return instr.op == Op::dropout || instr.op == Op::sample_surface || instr.op == Op::sample_image ||
         instr.op == Op::sample_rows || instr.op == Op::random || (cast && cast->stochastic);
}

}  // namespace hw
