// The operands of the optimisers' updates, by place.
#pragma once

#include "engine/program/optimisers.h"

namespace hw {

/// (view, master, moments…, updates?, count?, grad, touched?, norm?, loss scale's state?). The updates, with a touched
/// mask where the row counts them, are a state u8 [2 n]: how often each element was updated, low byte first, up to
/// 65535. The count is a state f64 [1] that receives how many of the elements that the update wrote are Inf or NaN as
/// stored: in the view, the master or a moment.
struct UpdateInputs {
  size_t moments;  // 1 or 2, from 2 on
  size_t grad, norm, loss_scale;
  bool per_element;  // the updates are there
  bool counted;      // the count is there
  size_t touched() const { return grad + 1; }
  size_t updates() const { return 2 + moments; }
  size_t count() const { return grad - 1; }
};

/// `inputs`: how many there are.
inline UpdateInputs update_inputs(Op op, const UpdateAttr& attr, size_t inputs) {
  UpdateInputs u{};
  u.moments = update_row(op).moments;
  u.per_element = update_row(op).counts && attr.has_touched;
  const size_t before = 2 + u.moments + (u.per_element ? 1 : 0);
  const size_t optional = (attr.has_touched ? 1 : 0) + (attr.clip_norm > 0 ? 1 : 0) + (attr.guarded ? 1 : 0);
  u.counted = inputs > before + 1 + optional;
  u.grad = before + (u.counted ? 1 : 0);
  u.norm = u.grad + (attr.has_touched ? 2 : 1);
  u.loss_scale = u.norm + (attr.clip_norm > 0 ? 1 : 0);
  return u;
}

inline UpdateInputs update_inputs(const Instr& instr) {
  return update_inputs(instr.op, *std::get_if<UpdateAttr>(&instr.attr), instr.in.size());
}

/// How many of its first inputs, all states, the instruction writes: those of its op, the updates and the count.
inline size_t written_inputs(const Instr& instr) {
  return std::holds_alternative<UpdateAttr>(instr.attr) ? update_inputs(instr).grad : written_inputs(instr.op);
}

}  // namespace hw
