// A long chain of layers, folded into rows as text is.
#pragma once

#include "engine/layout/layering.h"

namespace hw::layout {

/// Moves the boxes of a drawing that is much wider than high, and whose layers hardly any wire leads past, into rows of
/// about a window's form: each row begins at the left, below the one before, with room between for the wires that lead
/// back. A drawing of few layers, or with more wires between its halves, stays as it is. `places` are whole boxes from
/// (0, 0) on, their x by layers.
void fold(const std::vector<Box>& boxes, const std::vector<Step>& steps, const std::vector<int>& layer,
          const Spacing& spacing, std::vector<Place>& places);

}  // namespace hw::layout
