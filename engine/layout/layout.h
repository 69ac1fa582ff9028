// Automatic layout: boxes and the wires between their sockets in, positions out. Whole canvas units.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "engine/core/canvas_grid.h"

namespace hw::layout {

/// Where a box must stand. Those of one side keep their order from top to bottom.
enum class Side : uint8_t { any, first, last };

struct Box {
  int width = 0, height = 0;
  Side side = Side::any;  // first: nothing leads to it; last: nothing leads from it. Else it stands as any other.
};

/// From an output of one box to an input of another. Sockets by their distance from the top of the box.
struct Wire {
  int from = 0, to = 0;  // indices of boxes
  int out_y = 0, in_y = 0;
};

struct Spacing {
  int grid = kCanvasGrid;  // positions are multiples of it
  int columns = 72;        // between boxes of neighbouring layers
  int rows = 32;           // between boxes of one layer
  int lane = 8;            // room for a wire that passes a layer
};

struct Place {
  int x = 0, y = 0;  // top left
  bool operator==(const Place&) const = default;
};

/// The smallest multiple of `grid` that is at least `length`, which is not negative.
inline int up_to_grid(int length, int grid) {
  return (length + grid - 1) / grid * grid;
}

/// Layers from left to right, so that wires lead right, but those that close a cycle; few crossings; wires as straight
/// as they can be; a long chain of layers folded into rows (fold.h), whose wires between rows lead left; parts that no
/// wire connects one below the other. Boxes never overlap. The same for the same input, and near (0, 0). Nothing:
/// stopped. After Gansner et al., "A Technique for Drawing Directed Graphs".
std::optional<std::vector<Place>> lay_out(const std::vector<Box>& boxes, const std::vector<Wire>& wires,
                                          const Spacing& spacing = {}, std::stop_token stop = {});

/// How many pairs of wires cross, drawn as straight lines from socket to socket. Quadratic.
int64_t crossings(const std::vector<Box>& boxes, const std::vector<Wire>& wires, const std::vector<Place>& places);

}  // namespace hw::layout
