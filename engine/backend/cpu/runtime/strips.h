// A region's ops on one tile, strip by strip of elements (see plan/regions.h).
#pragma once

#include <span>
#include <vector>

#include "engine/backend/cpu/kernels/kernel.h"

namespace hw::cpu {

/// An operand of a region's op.
struct StripOperand {
  Operand at_tile;          // rows of the tile; in_strip: of no use but its dtype
  bool in_strip = false;    // has memory for a strip alone,
  size_t offset = 0;        // so many bytes into the strips of a thread
  bool one_number = false;  // the same for every element
};

struct StripCall {
  const TileKernel* kernel;
  std::vector<StripOperand> in, out;
};

/// Computes all of `calls` on each strip of elements [first, first + count) before the next one, on the calling thread.
/// `strips`: its memory for what lives in a strip. `seconds`: null, or by call, what they take is added.
void run_strips_of(std::span<const StripCall> calls, int64_t first, int64_t count, std::byte* strips, double* seconds);

/// Computes all of `calls` on each strip before the next one, on `strips.size()` threads: each has its own memory for
/// what lives in a strip. Adds the seconds this took to `seconds`, by call; how calls share in them is measured at some
/// strips. Kernels get a tile whose rows mean nothing: pointwise ops need none.
void run_strips(std::span<const StripCall> calls, std::span<std::byte* const> strips, std::span<double> seconds);

}  // namespace hw::cpu
