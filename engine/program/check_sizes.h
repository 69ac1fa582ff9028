// Whether the values of a Program can exist at all.
#pragma once

#include "engine/program/program.h"

namespace hw {

/// Error HW-R001 with the size at the first value, from `first` on, that is larger than the largest memory there is
/// (see check_size); `where`: the parameter's name, else the path of the node that makes it.
Status check_sizes(const Program& program, ValueId first = 0);

}  // namespace hw
