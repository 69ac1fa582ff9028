// Names of ops and values in messages for the user.
#pragma once

#include "engine/program/program.h"

namespace hw {

/// "matmul", "exp", "exp_grad": the function where the op is a table of functions.
std::string op_text(const Instr& instr);
/// A value's name, or the path of the node that makes it; "" of kNoValue.
std::string where_of(const Program& program, ValueId value);

}  // namespace hw
