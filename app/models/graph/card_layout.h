// CardLayout: the cards of the graph that is shown, as boxes and wires for the automatic layout.
#pragma once

#include <string>
#include <vector>

#include "engine/layout/clusters.h"

namespace hw::app {

class Document;

/// Cards as the layout sees them.
struct CardLayout {
  std::vector<std::string> ids;
  std::vector<layout::Box> boxes;
  std::vector<layout::Place> places;  // where they lie, in whole units
  std::vector<layout::Wire> wires;    // between them
};

/// The layout of the shown nodes with these ids, or of all where there are none. In a group its Input and Output nodes
/// come first and last, from top to bottom as they lie: their order is that of the group's sockets.
CardLayout card_layout(const Document& document, const std::vector<std::string>& ids = {});

}  // namespace hw::app
