// Trainable parameters that no gradient reaches although the loss follows from them.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "engine/program/program.h"

namespace hw {

/// A sentence for each node that ends gradients (it rounds, makes whole numbers or stops them): the parameters before
/// it that do not train for that. `gradients`: value → its gradient.
std::vector<std::string> unreached_params(const Program& program, ValueId loss,
                                          const std::unordered_map<ValueId, ValueId>& gradients);

}  // namespace hw
