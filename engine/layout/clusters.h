// Layout of boxes in clusters: what is in one stays together, and nothing else lies in it.
#pragma once

#include "engine/layout/layout.h"

namespace hw::layout {

/// A box around boxes and other clusters, as a frame is.
struct Cluster {
  int parent = -1;  // the cluster that it lies in, of a lower index; −1: none
  int title = 0;    // room above its content
  int pad = 0;      // room at its other sides
};

struct Area {
  int x = 0, y = 0, width = 0, height = 0;
  bool operator==(const Area&) const = default;
};

struct Clustered {
  std::vector<Place> boxes;
  std::vector<Area> clusters;
};

/// As lay_out(); each cluster is laid out alone, then stands as one box in the cluster around it. `cluster_of`: of each
/// box, −1 for none. A cluster with nothing in it takes no room. Nothing: stopped.
std::optional<Clustered> lay_out_clusters(const std::vector<Box>& boxes, const std::vector<int>& cluster_of,
                                          const std::vector<Cluster>& clusters, const std::vector<Wire>& wires,
                                          const Spacing& spacing = {}, std::stop_token stop = {});

}  // namespace hw::layout
