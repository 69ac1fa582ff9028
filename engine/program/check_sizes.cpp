#include "engine/program/check_sizes.h"

#include <algorithm>

#include "engine/core/sizes.h"

namespace hw {
namespace {

std::string place_of(const Program& program, ValueId value) {
  for (const Instr& instr : program.instrs)
    if (std::find(instr.out.begin(), instr.out.end(), value) != instr.out.end()) return program.nodes[instr.node];
  return program[value].name;
}

}  // namespace

Status check_sizes(const Program& program, ValueId first) {
  for (ValueId v = first; v < program.values.size(); ++v) {
    const Status fits = check_size(program[v].dtype, program[v].dims);
    if (fits) continue;
    Error error = fits.error();
    error.where = place_of(program, v);
    return error;
  }
  return ok();
}

}  // namespace hw
