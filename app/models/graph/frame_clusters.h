// FrameClusters: which frames the automatic layout moves with their content, and what it does with them.
#pragma once

#include "app/models/graph/card_layout.h"
#include "engine/graph/edit.h"
#include "engine/graph/groups/scope.h"
#include "engine/layout/clusters.h"

namespace hw::app {

/// Cards and frames as the layout sees them. A card, or a frame, belongs to the smallest frame that it lies in.
struct FrameClusters {
  std::vector<std::string> ids;           // of frames that hold cards, larger ones first
  std::vector<layout::Cluster> clusters;  // the same
  std::vector<std::string> notes;         // frames and notes that hold none: boxes behind the cards
  std::vector<layout::Box> boxes;         // of the cards, then of the notes
  std::vector<int> cluster_of;            // of the boxes
  std::vector<std::string> loose;         // frames that hold none and lie in none
};

/// Clusters of these cards; frames that hold other cards too are left out, and unless `all` those that hold none.
FrameClusters frame_clusters(const Graph& graph, const Scope& scope, const CardLayout& cards, bool all);

/// Frames where the layout put them, `dx` and `dy` added; those that lie nowhere side by side above all.
Edits placed_frames(const Graph& graph, const FrameClusters& frames, const layout::Clustered& laid, int dx, int dy);

}  // namespace hw::app
