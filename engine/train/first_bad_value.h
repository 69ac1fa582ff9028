// First bad value: stops a training at the first op that makes an Inf or NaN, and says what of.
#pragma once

#include "engine/train/training_watch.h"

namespace hw {

/// A watch for one session. After every run it checks every element of every value, gradient and state: nothing is
/// sampled. An op makes a bad value when what it read was finite (a NaN also when it read infinities that a constant
/// holds); the first such op in the order of execution is reported, unless all that comes of it is left out by `where`.
/// It keeps a copy of the states from before each step; a bad step is run again from there, its inputs are read as they
/// were, and the states are left as they were before it. While dynamic loss scaling can still lower its scale, bad
/// gradients are no end: it leaves such steps out. Cost: memory for all values of a step and a second copy of all
/// states; each step copies and scans them once (the neural texture, 12.6 M parameters and 65,536 points: 1.5 to 2
/// times the time of a step). `history`: steps whose ranges are kept.
std::shared_ptr<TrainingWatch> watch_for_bad_values(size_t history = 8);

}  // namespace hw
