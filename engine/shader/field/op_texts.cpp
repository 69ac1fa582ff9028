#include "engine/shader/field/op_texts.h"

namespace hw::shader {

OpText op_text_of(Op op) {
  static constexpr OpText kTexts[] = {
#define HW_SHADER_text(name) op_texts::name,
#define HW_SHADER_no_text nullptr,
#define HW_OP(name, inputs, outputs, infer, adjoint, cpu, gpu, shader, ...) HW_SHADER_##shader
#include "engine/program/ops.def"
#undef HW_SHADER_text
#undef HW_SHADER_no_text
  };
  return kTexts[static_cast<size_t>(op)];
}

}  // namespace hw::shader
