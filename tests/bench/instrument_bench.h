// What the instruments cost, measured beside the same training without them.
#pragma once

namespace hw::bench {

/// Steps of the neural texture in turns, without instruments, with them at the default rate, and looking at every step.
void print_instruments(int rounds, int steps);

}  // namespace hw::bench
