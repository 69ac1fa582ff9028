// The layer of every box: wires lead from lower to higher layers, and are short.
#pragma once

#include "engine/layout/layout.h"

namespace hw::layout {

/// A wire as layers see it: without cycles.
struct Step {
  int from = 0, to = 0, out_y = 0, in_y = 0;
};

/// The wires without those from a box to itself, those that close a cycle turned round. A turned wire keeps the sockets
/// of its ends: `out_y` is that of the end it begins at now.
std::vector<Step> without_cycles(size_t boxes, const std::vector<Wire>& wires);

/// Longest paths, then boxes moved towards where most of their wires lead, consumers first.
std::vector<int> layers_of(const std::vector<Box>& boxes, const std::vector<Step>& steps);

}  // namespace hw::layout
