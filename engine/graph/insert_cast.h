// A Cast in a wire.
#pragma once

#include <unordered_map>

#include "engine/graph/edit.h"

namespace hw {

/// Whether a Cast to this dtype is offered where a wire does not fit: there is such a node, and it offers it. Not to
/// whole numbers, which drop fractions.
bool is_cast_target(DType dtype);

/// "Insert Cast f16 → f32"; "Insert Lossy Cast f32 → f16" where not every number is held.
std::string insert_cast_words(DType from, DType to);
/// The same, and in brackets the effect of a lossy Cast on values.
std::string insert_cast_label(DType from, DType to);

/// A Cast node half-way on the canvas between the ends of `link`.
Node cast_between(const Graph& graph, const Link& link, DType to, std::string id);

/// `link` taken apart by a Cast to `to`, half-way on the canvas.
Edits insert_cast(const Graph& graph, const Link& link, DType to);

/// Places for new nodes on a canvas, as far as sizes are known here.
class Room {
 public:
  explicit Room(const Graph& graph);
  /// Moves a new node straight down until it covers none of the graph's and of those that took a place before.
  void take(Node& node);

 private:
  struct Spot {
    double x, y, height;
    const Node* node;  // while the height is not known
  };
  std::unordered_map<int64_t, std::vector<Spot>> columns_;
};

}  // namespace hw
