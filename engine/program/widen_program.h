// The f64 twin of a program: the same ops without rounding to narrower floats. And a program cut at the nodes' borders,
// which shows what each node gives on inputs that it is handed.
#pragma once

#include "engine/core/result.h"
#include "engine/program/program.h"

namespace hw {

struct WideProgram {
  std::shared_ptr<Program> program;
  std::vector<Port> drawn;  // input's name, value that it stands for
};
/// Every value of `program` keeps its id, name and sizes; floats become f64, and with them constants, states and the
/// dtypes that attributes name. Casts between floats become copies. What random and sampling ops draw becomes an input:
/// given the real draws, both see the same bits. Instr::node and `backward` stay. Ops that write states (updates,
/// running statistics) are left out; parameters are states like others, zero until written. Error HW-R002: an op has no
/// f64 form.
Result<WideProgram> widen_program(const Program& program);

/// A program in which each value that passes from one node to another, or from a node's forward to its backward part,
/// is an input of its own.
struct CutProgram {
  std::shared_ptr<Program> program;
  std::vector<Port> handed;  // input's name, value of the uncut program that it stands for
};
/// Ids stay; the inputs of `handed` are appended.
CutProgram cut_at_nodes(const Program& program);

}  // namespace hw
