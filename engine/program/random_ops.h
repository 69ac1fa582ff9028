// Which ops draw random numbers.
#pragma once

#include "engine/program/program.h"

namespace hw {

/// What dropout, samplers, shuffled rows, random numbers and stochastic rounding draw from; null: the op draws nothing.
RandomStream* random_stream(Attr& attr);
const RandomStream* random_stream(const Attr& attr);

/// Draws from a Philox stream of (seed, stream, step).
bool is_random(const Instr& instr);

/// Random numbers, or rows of a data set.
bool draws_samples(const Instr& instr);

/// By value: whether it is made of samples that are drawn, which are another's in each part of a step.
std::vector<bool> drawn_values(const Program& program);

/// "seed 7, stream 0x5f3a01c9, step 12": with what is fixed marked, and steps counted from 1. `seed`, `step` (from 0):
/// those of the run; none: named in words.
std::string draw_text(const RandomStream& random, std::optional<uint64_t> seed, std::optional<uint64_t> step);

}  // namespace hw
