// What it costs that a table is updated by its touched mask, and its elements count their own updates.
#pragma once

#include "engine/core/result.h"

namespace hw::bench {

/// Adam on a table all of whose blocks are touched, the elements counting their updates, and on a parameter of as many
/// elements, as a whole, in turns. Prints the medians and their ratio with its noise.
Status print_update_counts(int rounds);

}  // namespace hw::bench
