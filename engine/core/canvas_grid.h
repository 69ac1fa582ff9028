// The grid of the canvas.
#pragma once

#include <cmath>

namespace hw {

/// Canvas units. Cards snap to its multiples; frames and the places that are found for cards lie on them.
inline constexpr int kCanvasGrid = 8;

/// The nearest place on the grid.
inline double to_grid(double at) {
  return std::round(at / kCanvasGrid) * kCanvasGrid;
}

}  // namespace hw
