#include "engine/program/widen_program.h"

#include <map>

#include "engine/core/codes.h"
#include "engine/program/builder.h"

namespace hw {
namespace {

DType wide(DType dtype) {
  return info(dtype).is_float ? DType::f64 : dtype;
}

std::string input_name(ValueId id) {
  return "#" + std::to_string(id);
}

bool draws(Op op) {
  return op == Op::random || op == Op::sample_surface || op == Op::sample_image || op == Op::sample_rows;
}

/// What an attribute says of dtypes and rounding, said of f64.
struct Widen {
  template <class A>
  void operator()(A& a) const {
    if constexpr (requires { a.dtype; }) a.dtype = wide(a.dtype);
    if constexpr (requires { a.compute; }) a.compute = {};
    if constexpr (requires { a.stochastic; }) a.stochastic = false;
    if constexpr (requires { a.saturate; }) a.saturate = false;
  }
};

/// The op gives f64 where the twin says so.
Status check_types(const Program& p, const Instr& instr) {
  std::vector<Value> in;
  for (ValueId id : instr.in) in.push_back(p[id]);
  const auto types = infer(instr.op, in, instr.attr);
  bool fits = bool(types);
  for (size_t k = 0; fits && k < instr.out.size(); ++k) fits = (*types)[k].dtype == p[instr.out[k]].dtype;
  if (fits) return ok();
  return Error{codes::unsupported, p.nodes[instr.node],
               std::string(info(instr.op).name) + " has no form in f64" + (types ? "." : ": " + types.error().reason),
               "Leave this node out of what is compared."};
}

/// `part_of`(instruction): what passes from one part to another is handed over.
template <class PartOf>
CutProgram cut(const Program& program, const PartOf& part_of) {
  auto cut = std::make_shared<Program>(program);
  cut->devices.clear();
  cut->outputs.clear();
  std::vector<Port> boundary;
  std::map<ValueId, decltype(part_of(size_t{0}))> maker;
  std::map<ValueId, ValueId> input_of;
  for (size_t i = 0; i < cut->instrs.size(); ++i) {
    Instr& instr = cut->instrs[i];
    const auto part = part_of(i);
    for (ValueId& in : instr.in) {
      const auto made = maker.find(in);
      if (made == maker.end() || made->second == part) continue;
      const auto [it, fresh] = input_of.try_emplace(in, static_cast<ValueId>(cut->values.size()));
      if (fresh) {
        Value value = program[in];
        value.storage = Storage::input;
        value.name = input_name(in);
        cut->inputs.push_back({value.name, it->second});
        boundary.push_back({value.name, in});
        cut->values.push_back(std::move(value));
      }
      in = it->second;
    }
    for (ValueId out : instr.out) maker.insert_or_assign(out, part);
  }
  return {std::move(cut), std::move(boundary)};
}

}  // namespace

Result<WideProgram> widen_program(const Program& program, const std::map<ValueId, Tensor>& exact) {
  WideProgram wide_program{std::make_shared<Program>(program), {}};
  wide_program.program->devices.clear();
  Program& twin = *wide_program.program;
  for (Value& v : twin.values) v.dtype = wide(v.dtype);
  for (auto& [id, tensor] : twin.constants) {
    const auto asked = exact.find(id);
    tensor = (asked == exact.end() ? tensor : asked->second).to(twin[id].dtype);
  }
  twin.instrs.clear();
  twin.params.clear();
  for (const Instr& original : program.instrs) {
    if (original.out.empty()) continue;
    if (draws(original.op)) {
      for (ValueId out : original.out) {
        twin.values[out].storage = Storage::input;
        const Port port{input_name(out), out};
        twin.inputs.push_back(port);
        wide_program.drawn.push_back(port);
      }
      continue;
    }
    Instr instr = original;
    std::visit(Widen{}, instr.attr);
    HW_CHECK(check_types(twin, instr));
    twin.instrs.push_back(std::move(instr));
  }
  return wide_program;
}

CutProgram cut_at_nodes(const Program& program) {
  return cut(program, [&](size_t i) { return std::pair{program.instrs[i].node, program.instrs[i].backward}; });
}

CutProgram cut_at_ops(const Program& program) {
  return cut(program, [](size_t i) { return i; });
}

}  // namespace hw
