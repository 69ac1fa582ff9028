#include "engine/program/source_attrs.h"

#include "engine/program/program.h"

namespace hw {

Status load_data(const Program& program) {
  for (const Instr& instr : program.instrs) {
    const auto* rows = std::get_if<SampleRowsAttr>(&instr.attr);
    if (!rows || !rows->data) continue;
    const Status loaded = rows->split().load();
    if (loaded) continue;
    Error error = loaded.error();  // at the file: the node reads it for the one that names it
    error.reason = error.where + ": " + error.reason;
    error.where = program.nodes[instr.node];
    return error;
  }
  return ok();
}

}  // namespace hw
