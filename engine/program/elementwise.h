// Which ops work element by element.
#pragma once

#include "engine/program/program.h"

namespace hw {

/// The column of ops.def: element i of the output is made of element i of each input alone, stretched by broadcasting.
bool is_elementwise(Op op);

}  // namespace hw
