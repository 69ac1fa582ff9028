// The one ranking of node types by what was typed: for the palette and for the canvas's search.
#pragma once

#include <QString>
#include <vector>

#include "engine/node/node_type.h"

namespace hw::app {

/// How well a type answers what was typed, every word of it; 0: not at all, and without words the same for all.
int match_score(const QString& query, const NodeType& type);

/// Whether `a` stands before `b` in the palette: by category along the way of the data, then by title.
bool palette_order(const NodeType& a, const NodeType& b);

/// Those of `types` that answer every word of `query`, best first; without words all, in the order of the palette.
std::vector<const NodeType*> ranked_types(const QString& query, const std::vector<const NodeType*>& types);

}  // namespace hw::app
