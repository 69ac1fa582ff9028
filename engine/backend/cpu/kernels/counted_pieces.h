// The output of a whole kernel in pieces on all threads, each with its own counts of rounding losses.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "engine/backend/rounding_losses.h"
#include "engine/core/parallel.h"

namespace hw::cpu {

/// f(begin, end, losses) for pieces of [0, count), `piece` long but for the last. `losses` are the piece's own and are
/// added to `total` at the end, in order; null where `total` is.
inline void each_piece(int64_t count, int64_t piece, RoundingLosses* total,
                       const std::function<void(int64_t begin, int64_t end, RoundingLosses* losses)>& f) {
  const int64_t pieces = (count + piece - 1) / piece;
  std::vector<RoundingLosses> losses(total ? static_cast<size_t>(pieces) : 0);
  parallel_for(pieces, [&](int64_t p) {
    f(p * piece, std::min(count, (p + 1) * piece), total ? &losses[static_cast<size_t>(p)] : nullptr);
  });
  for (const RoundingLosses& of_piece : losses) *total += of_piece;
}

}  // namespace hw::cpu
