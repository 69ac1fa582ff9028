// Which ops draw random numbers.
#pragma once

#include "engine/program/program.h"

namespace hw {

/// What dropout, samplers, shuffled rows, random numbers and stochastic rounding draw from; null: the op draws nothing.
RandomStream* random_stream(Attr& attr);
const RandomStream* random_stream(const Attr& attr);

/// Draws from a Philox stream of (seed, stream, step).
bool is_random(const Instr& instr);

/// "seed 7, stream 0x5f3a01c9, step 12": with what is fixed marked, and steps counted from 1. `seed`, `step` (from 0):
/// those of the run; none: told in words.
std::string draw_text(const RandomStream& random, std::optional<uint64_t> seed, std::optional<uint64_t> step);

}  // namespace hw
