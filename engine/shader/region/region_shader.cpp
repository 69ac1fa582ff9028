#include "engine/shader/region/region_shader.h"

#include <algorithm>
#include <map>

#include "engine/program/op_sources.h"
#include "engine/program/random_ops.h"
#include "engine/shader/field/op_texts.h"

namespace hw::shader {
namespace {

bool has_type(DType dtype) {
  return dtype == DType::boolean || (info(dtype).is_float && dtype != DType::tf32);
}

// The ops as a program of one element.
class OneElement {
 public:
  explicit OneElement(const Program& program) : program_(program) { one_.nodes = {""}; }

  void add_input(ValueId value) {
    const ValueId made = add(value, Storage::input);
    one_.inputs.push_back({"x" + std::to_string(one_.inputs.size()), made});
    points_.inputs.push_back(made);
  }
  void add_op(const Instr& instr) {
    Instr copy = instr;
    copy.node = 0;
    for (ValueId& v : copy.in) v = ids_.at(v);
    for (ValueId& v : copy.out) v = add(v, Storage::temp);
    one_.instrs.push_back(std::move(copy));
  }
  ValueId id(ValueId value) const { return ids_.at(value); }
  const Program& program() const { return one_; }
  const PointProgram& points() const { return points_; }

 private:
  static PointProgram one_point() {
    PointProgram points;
    points.points = 1;
    return points;
  }
  ValueId add(ValueId value, Storage storage) {
    Value one;
    one.dtype = program_[value].dtype;
    one.dims = {1};
    one.storage = storage;
    one_.values.push_back(std::move(one));
    return ids_[value] = static_cast<ValueId>(one_.values.size() - 1);
  }

  const Program& program_;
  Program one_;
  PointProgram points_ = one_point();
  std::map<ValueId, ValueId> ids_;
};

Status write(PointText& text, const OneElement& one) {
  for (const Instr& instr : one.program().instrs) HW_CHECK(op_text_of(instr.op)(text, instr));
  return ok();
}

}  // namespace

bool fits_region(const Program& p, const Instr& instr, const Bodies& bodies) {
  if (!is_elementwise(instr.op) || instr.op == Op::affine || random_stream(instr.attr) || instr.out.size() != 1 ||
      !op_text_of(instr.op))
    return false;
  const auto typed = [&](ValueId v) { return has_type(p[v].dtype); };
  if (!std::ranges::all_of(instr.in, typed) || !std::ranges::all_of(instr.out, typed)) return false;
  OneElement one(p);
  for (const ValueId v : instr.in) one.add_input(v);
  one.add_op(instr);
  PointText text(one.program(), one.points(), bodies, true);
  return bool(write(text, one));
}

Result<RegionShader> region_shader(const Program& program, std::span<const size_t> instrs,
                                   std::span<const ValueId> inputs, std::span<const ValueId> outputs,
                                   const Bodies& bodies) {
  OneElement one(program);
  for (const ValueId v : inputs) one.add_input(v);
  for (const size_t i : instrs) one.add_op(program.instrs[i]);
  PointText text(one.program(), one.points(), bodies, true);
  HW_CHECK(write(text, one));
  RegionShader made;
  std::string arguments = text.arguments();
  for (size_t k = 0; k < outputs.size(); ++k) {
    const Operand value = text.operand(one.id(outputs[k]));
    const std::string name = "y" + std::to_string(k);
    text.line(name + " = " + text.element(value, "0") + ";");
    arguments += (arguments.empty() ? "" : ", ") + std::string("out ") +
                 std::string(glsl_type(scalar_of(value.dtype))) + " " + name;
  }
  for (const PointText::GivenNumber& number : text.numbers()) {
    arguments += ", " + std::string(glsl_type(number.type)) + " k" + std::to_string(made.numbers.size());
    made.numbers.push_back(number.value);
    made.number_types.push_back(number.type);
  }
  HW_TRY(const std::string preamble, text.preamble());
  made.text = preamble + "\nvoid region(" + arguments + ") {\n" + text.lines() + "}\n";
  made.needs = text.needs();
  return made;
}

}  // namespace hw::shader
