#include "engine/shader/field/field_shader.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>

#include "engine/core/codes.h"
#include "engine/core/sizes.h"
#include "engine/program/op_text.h"
#include "engine/shader/field/op_texts.h"

namespace hw::shader {

namespace {

// The only whole numbers with a text are those that a cast of f32 makes and a cast takes.
Status check_dtypes(const PointText& text, const Program& program, const Instr& instr) {
  for (const ValueId value : instr.out) {
    const DType dtype = program[value].dtype;
    const bool whole =
        dtype == DType::i64 && instr.op == Op::cast && scalar_of(program[instr.in[0]].dtype) == Scalar::f32;
    if (!info(dtype).is_float && dtype != DType::boolean && !whole)
      return text.error(value, "no shader is made of " + std::string(name(dtype)) + " here.");
  }
  for (const ValueId value : instr.in) {
    const DType dtype = program[value].dtype;
    if (!info(dtype).is_float && dtype != DType::boolean && instr.op != Op::cast)
      return text.error(instr.out[0], "no shader is made of an op on " + std::string(name(dtype)) + ".");
  }
  return ok();
}

Status check_sizes(const PointText& text, const Program& program, const PointProgram& points) {
  for (const ValueId value : points.inputs)
    if (program[value].dtype != DType::f32)
      return text.error(
          value, "it is " + std::string(name(program[value].dtype)) + ", and the variables of a shader are f32.");
  int64_t words = 0;
  for (const ValueId value : points.given) {
    const int64_t count = element_count(program[value].dims);
    words = size_sum({words, count});
    const DType dtype = program[value].dtype;
    if (!info(dtype).is_float && dtype != DType::boolean)
      return text.error(value, "no shader is made of tensors of " + std::string(name(dtype)) + ".");
    if (count > std::numeric_limits<int32_t>::max() / 4 || words > std::numeric_limits<int32_t>::max() / 2)
      return text.error(value, "its elements are more than a shader can count.");
  }
  return ok();
}

// The value at a point, returned; what was written before it, as a function.
Result<FieldShader> function_of(PointText& text, ValueId result) {
  FieldShader made;
  const Operand at_point = text.operand(result);
  made.channels = text.count(result);
  std::string values;
  for (int64_t c = 0; c < made.channels; ++c) {
    const std::string value = text.element(at_point, std::to_string(c));
    values += (c ? ", " : "") + (scalar_of(at_point.dtype) == Scalar::f32 ? value : "float(" + value + ")");
  }
  const std::string type = glsl_vector(made.channels);
  text.line(made.channels == 1 ? "return " + values + ";" : "return " + type + "(" + values + ");");
  HW_TRY(const std::string preamble, text.preamble());
  made.text = preamble + "\n" + type + " field(" + text.arguments() + ") {\n" + text.lines() + "}\n";
  made.variables = text.variables();
  made.given = text.given();
  made.words = text.words();
  made.needs = text.needs();
  return made;
}

}  // namespace

std::string glsl_vector(int64_t components) {
  if (components == 1) return "float";
  return components <= 4 ? "vec" + std::to_string(components) : "float[" + std::to_string(components) + "]";
}

Result<FieldShader> field_shader(const Program& program, ValueId result, int64_t points, const Bodies& bodies,
                                 std::span<const std::string> first) {
  HW_TRY(PointProgram split, point_program(program, result, points));
  const auto place_of = [&](ValueId input) {
    const auto port = std::ranges::find(program.inputs, input, &Port::value);
    const auto named = std::ranges::find(first, port->name);
    return std::pair(named - first.begin(), port - program.inputs.begin());
  };
  std::ranges::sort(split.inputs, {}, place_of);
  PointText text(program, split, bodies);
  HW_CHECK(check_sizes(text, program, split));
  for (const size_t at : split.instrs) {
    const Instr& instr = program.instrs[at];
    const OpText write = op_text_of(instr.op);
    if (!write) return text.error(instr.out[0], "no shader is made of the op " + op_text(instr) + ".");
    HW_CHECK(check_dtypes(text, program, instr));
    text.node(instr.node);
    HW_CHECK(write(text, instr));
  }
  return function_of(text, split.result);
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
