// The one ranking of node types by what was typed: for the palette and for the canvas's search.
#pragma once

#include <QString>
#include <vector>

#include "engine/node/node_type.h"

namespace hw::app {

/// Those of `types` that answer every word of `query`, best first; without words all, in the order of the palette: by
/// category along the way of the data, then by title.
std::vector<const NodeType*> ranked_types(const QString& query, const std::vector<const NodeType*>& types);

}  // namespace hw::app
