// How each op is written, at one point: a row an op.
#pragma once

#include "engine/shader/field/point_text.h"

namespace hw::shader {

/// Writes what makes the op's outputs. Error HW-R008: a dtype or a use that has no text.
using OpText = Status (*)(PointText& text, const Instr& instr);
/// nullptr: none; such an op may stand in front of what depends on the points.
OpText op_text_of(Op op);

namespace op_texts {

Status cast(PointText&, const Instr&);
Status copy(PointText&, const Instr&);   // gradient_scale, stop_gradient, reshape, broadcast_to
Status infix(PointText&, const Instr&);  // add, sub, mul
Status scale(PointText&, const Instr&);
Status affine(PointText&, const Instr&);
Status clamp(PointText&, const Instr&);
Status body(PointText&, const Instr&);  // relu, sigmoid, their gradients: bodies of the op's name
Status unary(PointText&, const Instr&);
Status binary(PointText&, const Instr&);
Status compare(PointText&, const Instr&);
Status where(PointText&, const Instr&);

Status matmul(PointText&, const Instr&);
Status hash_grid(PointText&, const Instr&);
Status triplane(PointText&, const Instr&);

Status fold(PointText&, const Instr&);  // sum_to, reduce
Status softmax(PointText&, const Instr&);
Status softmax_grad(PointText&, const Instr&);
Status group_norm(PointText&, const Instr&);
Status batch_norm(PointText&, const Instr&);

Status concat(PointText&, const Instr&);
Status slice(PointText&, const Instr&);
Status pad(PointText&, const Instr&);
Status transpose(PointText&, const Instr&);

}  // namespace op_texts

}  // namespace hw::shader
