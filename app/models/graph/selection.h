// What is selected on the canvas, as the engine's rules want it.
#pragma once

#include "app/document/document.h"
#include "app/document/text.h"
#include "engine/graph/frames.h"

namespace hw::app {

inline Placed selection_of(const Document& document) {
  Placed chosen;
  for (const QString& id : document.selection().nodes()) chosen.nodes.insert(to_std(id));
  for (const QString& id : document.selection().frames()) chosen.frames.insert(to_std(id));
  return chosen;
}

}  // namespace hw::app
