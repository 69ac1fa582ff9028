// How each op is written, at one point: a row an op.
#pragma once

#include "engine/shader/field/point_text.h"

namespace hw::shader {

/// Writes what makes the op's outputs. Error HW-R008: a dtype or a use that has no text.
using OpText = Status (*)(PointText& text, const Instr& instr);
/// nullptr: none; such an op may stand in front of what depends on the points.
OpText op_text_of(Op op);

// What the rows of ops.def name; several ops may have the same.
namespace op_texts {
#define HW_SHADER_text(name) Status name(PointText&, const Instr&);
#define HW_SHADER_no_text
#define HW_OP(name, inputs, outputs, infer, adjoint, cpu, gpu, shader, ...) HW_SHADER_##shader
#include "engine/program/ops.def"
#undef HW_SHADER_text
#undef HW_SHADER_no_text
}  // namespace op_texts

}  // namespace hw::shader
