// Pictures looked up at positions, made of other ops.
#pragma once

#include "engine/program/builder.h"

namespace hw {

struct GridSampling {
  enum class Padding : uint8_t { zeros, border, reflection } padding = Padding::zeros;  // what lies outside
  bool nearest = false;        // one pixel, ties to even; else the four nearest are mixed
  bool align_corners = false;  // -1 and 1 are the centres of the outer pixels, not their edges
};

/// x [N, C, H, W] at `positions` [N, H', W', 2], x and y from -1 to 1: [N, C, H', W'] in the dtype of x. Positions and
/// mixing are f32 (f64 for f64), rounded once. PyTorch's `grid_sample`.
Val sample_grid(OpBuilder& b, Val x, Val positions, const GridSampling& how);

}  // namespace hw
