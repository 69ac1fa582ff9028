// How large the cards of nodes are, for the engine's rules of frames.
#pragma once

#include "app/models/cards/card.h"
#include "engine/graph/frames.h"

namespace hw::app {

/// The boxes of the cards of nodes of the graph at `scope`, which must outlive it.
inline BoxOf card_boxes(const Scope& scope) {
  return [&scope](const Node& node) {
    const QSizeF size = make_card(scope, node).size;
    return Box{node.x, node.y, size.width(), size.height()};
  };
}

}  // namespace hw::app
