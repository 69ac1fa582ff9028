// LayeredGraph: boxes in layers, and a place in every layer that a wire passes. All links are between neighbouring
// layers.
#pragma once

#include "engine/layout/adjacency.h"
#include "engine/layout/layering.h"

namespace hw::layout {

/// A box, or where wires from one socket pass a layer.
struct Item {
  int box = -1;  // −1: a lane
  int layer = 0;
  int height = 0;
  Side side = Side::any;
};

/// Between an item and one in the next layer. Sockets from the tops of the items.
struct Piece {
  int left = 0, right = 0, left_y = 0, right_y = 0;
};

struct LayeredGraph {
  std::vector<Item> items;
  std::vector<Piece> pieces;
  std::vector<std::vector<int>> layers;  // items from top to bottom
  Adjacency into, out;                   // pieces by their right item, by their left item
};

/// Wires from one socket share their lanes. Lanes are made for short wires first and only for so many layers in all
/// that the work stays bounded: a wire beyond that has none.
LayeredGraph layered(const std::vector<Box>& boxes, const std::vector<Step>& steps, const std::vector<int>& layer,
                     const Spacing& spacing);

}  // namespace hw::layout
