// How well a node type answers what was typed: for the palette and for the canvas's search.
#pragma once

#include <QString>

#include "engine/node/node_type.h"

namespace hw::app {

/// How well a type answers what was typed, every word of it; 0: not at all, and without words the same for all.
int match_score(const QString& query, const NodeType& type);

/// Whether `a` stands before `b` in the palette: by category along the way of the data, then by title.
bool palette_order(const NodeType& a, const NodeType& b);

}  // namespace hw::app
