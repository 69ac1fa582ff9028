// Reroutes: where their wires come from, and putting them on wires.
#pragma once

#include "engine/graph/edit.h"

namespace hw {

/// The first wire behind all reroutes that this one comes through. Nothing: it begins at a reroute that is not wired,
/// or at a node that is not there.
std::optional<Link> source_of(const Graph& graph, Link link);

/// A wire that is crossed, and where, in canvas units.
struct CrossedLink {
  Link link;
  double x = 0, y = 0;
};
struct NewReroutes {
  Edits edits;
  std::vector<std::string> nodes;
};
/// A reroute for each output whose wires are crossed, with its top left in their middle; these wires then go through
/// it.
NewReroutes add_reroutes(const Graph& graph, const std::vector<CrossedLink>& crossed);

}  // namespace hw
