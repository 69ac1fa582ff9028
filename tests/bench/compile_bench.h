// How long it takes to make a large graph ready to run.
#pragma once

#include "engine/core/result.h"

namespace hw::bench {

/// Chains of about so many nodes, from the graph to what is ready to run on the cpu, evaluation and training: the best
/// and the median of so many rounds. Errors: those of lowering and the device.
Status print_compilation(int nodes, int rounds);

}  // namespace hw::bench
