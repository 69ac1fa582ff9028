#include "engine/shader/field/field_shader.h"

#include <cassert>
#include <cstring>

#include "engine/core/codes.h"
#include "engine/core/sizes.h"
#include "engine/program/op_text.h"
#include "engine/shader/field/op_texts.h"

namespace hw::shader {

Result<FieldShader> field_shader(const Program& program, ValueId result, const Bodies& bodies,
                                 const std::string& name) {
  HW_TRY(const PointProgram points, point_program(program, result));
  PointText text(program, points, bodies);
  for (const size_t at : points.instrs) {
    const Instr& instr = program.instrs[at];
    const OpText write = op_text_of(instr.op);
    if (!write) return text.error(instr.out[0], "no shader is made of the op " + op_text(instr) + ".");
    text.node(instr.node);
    HW_CHECK(write(text, instr));
  }
  return text.function(name);
}

std::vector<uint32_t> field_weights(const FieldShader& field, std::span<const Tensor> tensors) {
  assert(tensors.size() == field.given.size());
  std::vector<uint32_t> words(field.words);
  for (size_t i = 0; i < tensors.size(); ++i) {
    assert(tensors[i].dtype() == field.given[i].dtype && tensors[i].dims() == field.given[i].dims);
    std::memcpy(words.data() + field.given[i].word, tensors[i].data(),
                byte_count(tensors[i].dtype(), tensors[i].size()));
  }
  return words;
}

}  // namespace hw::shader
