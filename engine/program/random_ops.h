// Which ops draw random numbers.
#pragma once

#include "engine/program/program.h"

namespace hw {

/// Draws from a Philox stream of (seed, stream, step): dropout, samplers, random numbers, stochastic rounding.
bool is_random(const Instr& instr);

}  // namespace hw
