#include "engine/program/linear_ops.h"

namespace hw {

bool is_linear(const Instr& instr, const std::vector<bool>& by, const std::vector<bool>& differs) {
  const auto same = [&](size_t k) { return !by[instr.in[k]] && !differs[instr.in[k]]; };
  switch (instr.op) {
    case Op::add:
    case Op::sub:
    case Op::scale:
    case Op::affine:
    case Op::cast:
    case Op::sum_to:
    case Op::broadcast_to:
    case Op::reshape:
    case Op::concat:
    case Op::slice:
    case Op::pad:
    case Op::transpose:
    case Op::stop_gradient:
    case Op::gradient_scale:
      return true;
    case Op::unary:
      return std::get<UnaryAttr>(instr.attr).fn == UnaryFn::neg;
    case Op::mul:
      return same(0) || same(1);
    case Op::binary:
      return std::get<BinaryAttr>(instr.attr).fn == BinaryFn::div && same(1);
    case Op::where:
      return same(0);
    default:
      return false;
  }
}

}  // namespace hw
