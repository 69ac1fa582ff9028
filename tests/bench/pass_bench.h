// What passes save when a graph is evaluated.
#pragma once

#include "engine/core/result.h"

namespace hw::bench {

/// Six convolutions, each with a batch norm by running statistics and a ReLU, on the cpu, with all passes against none:
/// the ratio of medians of so many pairs of runs, made in turns. Errors: the device's.
Status print_passes(int rounds);

}  // namespace hw::bench
