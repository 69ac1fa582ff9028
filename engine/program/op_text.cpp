#include "engine/program/op_text.h"

#include <algorithm>

namespace hw {

std::string op_text(const Instr& instr) {
  if (const auto* unary = std::get_if<UnaryAttr>(&instr.attr))
    return std::string(info(unary->fn).name) + (instr.op == Op::unary ? "" : "_grad");
  if (const auto* binary = std::get_if<BinaryAttr>(&instr.attr))
    return std::string(info(binary->fn).name) + (instr.op == Op::binary ? "" : "_grad");
  return std::string(info(instr.op).name);
}

std::string where_of(const Program& program, ValueId value) {
  if (value == kNoValue) return "";
  if (!program[value].name.empty()) return program[value].name;
  for (const Instr& instr : program.instrs)
    if (std::find(instr.out.begin(), instr.out.end(), value) != instr.out.end()) return program.nodes[instr.node];
  return "";
}

}  // namespace hw
