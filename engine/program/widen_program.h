// The f64 twin of a program: the same ops without rounding to narrower floats. And a program cut in parts, which shows
// what each gives on inputs that it is handed.
#pragma once

#include <map>

#include "engine/core/result.h"
#include "engine/program/program.h"

namespace hw {

struct WideProgram {
  std::shared_ptr<Program> program;
  std::vector<Port> drawn;  // input's name, value that it stands for
};
/// For one device: nodes' own devices are left out.
/// Every value of `program` keeps its id, name and sizes; floats become f64, and with them constants, states and the
/// dtypes that attributes name. Casts between floats become copies. What random and sampling ops draw becomes an input:
/// given the real draws, both see the same bits. Instr::node and `backward` stay. Ops that write states (updates,
/// running statistics) are left out; parameters are states like others, zero until written. Error HW-R002: an op has no
/// f64 form. `exact`: constants in f64 as they were asked for, before their dtype rounded them; others are as stored.
Result<WideProgram> widen_program(const Program& program, const std::map<ValueId, Tensor>& exact = {});

/// A program in which each value that passes from one part to another is an input of its own.
struct CutProgram {
  std::shared_ptr<Program> program;
  std::vector<Port> boundary;  // input's name, value of the uncut program that it stands for
};
/// For one device: nodes' own devices are left out. Ids stay; the inputs of `boundary` are appended. Parts: a node's
/// forward and its backward ops; or each op alone.
CutProgram cut_at_nodes(const Program& program);
CutProgram cut_at_ops(const Program& program);

}  // namespace hw
