// The default device of a gradient check.
#pragma once

#include <string>

#include "engine/program/program.h"

namespace hw {

struct GradDevice {
  std::string id, why;  // why: a sentence
};

/// `ref`, which has formulas of its own and is slow, hours for a network of convolutions; `cpu`, in f64 too,
/// where one run of the program is long.
GradDevice grad_device(const Program& program);

}  // namespace hw
