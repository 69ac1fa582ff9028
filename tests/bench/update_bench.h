// What it costs that the elements of a table count their own updates.
#pragma once

namespace hw::bench {

/// Adam over the touched blocks of a table: the engine's op, and a bare loop with and without counts, in turns. Prints
/// the medians, and with / without as a ratio with its noise.
void print_update_counts(int rounds);

}  // namespace hw::bench
