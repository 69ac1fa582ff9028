#include "engine/program/op_text.h"

namespace hw {

std::string op_text(const Instr& instr) {
  if (const auto* unary = std::get_if<UnaryAttr>(&instr.attr))
    return std::string(info(unary->fn).name) + (instr.op == Op::unary ? "" : "_grad");
  if (const auto* binary = std::get_if<BinaryAttr>(&instr.attr))
    return std::string(info(binary->fn).name) + (instr.op == Op::binary ? "" : "_grad");
  return std::string(info(instr.op).name);
}

}  // namespace hw
