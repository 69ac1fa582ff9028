// What the instruments cost, measured beside the same training without them.
#pragma once

#include "engine/core/result.h"

namespace hw::bench {

/// Steps of the neural texture in turns, without instruments, with them at the default rate, and looking at every step.
void print_instruments(int rounds, int steps);

/// Whole runs of examples by a session, of so many steps each, with and without instruments in turns: ratios of CPU
/// time. `rounds` of them, or as many as half a minute has. Errors of reading the examples and of the runs.
Status print_instrumented_runs(int rounds, int steps);

}  // namespace hw::bench
