// What an op is called before a person.
#pragma once

#include "engine/program/program.h"

namespace hw {

/// "matmul", "exp", "exp_grad": the function where the op is a table of functions.
std::string op_text(const Instr& instr);

}  // namespace hw
