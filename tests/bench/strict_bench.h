// What it costs that sums over the batch are added in an order that no number of threads changes.
#pragma once

#include "engine/core/result.h"

namespace hw::bench {

/// For each example with products or convolutions: each weight gradient of its training step in the engine, in fixed
/// chunks, beside oneDNN's own threaded primitive on the same row-major data (convolutions with the reorders that they
/// need), in turns; then the whole step, by each op's share of it, as if oneDNN ran what it is faster at: what the
/// strict order costs. Ratios are medians of `rounds` pairs; an op runs alone here, in a step together with its
/// neighbours. On a busy machine oneDNN's threads wait for one another: OMP_WAIT_POLICY=passive, or one thread, says
/// more there.
Status print_strict_cost(int rounds);

}  // namespace hw::bench
