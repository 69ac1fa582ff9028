// The operands of sgd_update and adam_update, by place.
#pragma once

#include "engine/program/program.h"

namespace hw {

/// (view, master, momentum | m, v, count?, grad, touched?, norm?, loss scale's state?). The count is a state f64 [1]
/// that receives how many of the elements that the update wrote are Inf or NaN as stored: in the view, the master or a
/// moment.
struct UpdateInputs {
  size_t moments;  // 1 or 2, from 2 on
  size_t grad, norm, loss_scale;
  bool counted;
  size_t touched() const { return grad + 1; }
  size_t count() const { return grad - 1; }
};

/// `inputs`: how many there are.
inline UpdateInputs update_inputs(Op op, const UpdateAttr& attr, size_t inputs) {
  UpdateInputs u{};
  u.moments = op == Op::adam_update ? 2 : 1;
  const size_t optional = (attr.has_touched ? 1 : 0) + (attr.clip_norm > 0 ? 1 : 0) + (attr.guarded ? 1 : 0);
  u.counted = inputs > 2 + u.moments + 1 + optional;
  u.grad = 2 + u.moments + (u.counted ? 1 : 0);
  u.norm = u.grad + (attr.has_touched ? 2 : 1);
  u.loss_scale = u.norm + (attr.clip_norm > 0 ? 1 : 0);
  return u;
}

inline UpdateInputs update_inputs(const Instr& instr) {
  return update_inputs(instr.op, *std::get_if<UpdateAttr>(&instr.attr), instr.in.size());
}

/// How many of its first inputs, all states, the instruction writes: those of its op, and the count of an update.
inline size_t written_inputs(const Instr& instr) {
  const bool counted = std::holds_alternative<UpdateAttr>(instr.attr) && update_inputs(instr).counted;
  return written_inputs(instr.op) + (counted ? 1 : 0);
}

}  // namespace hw
