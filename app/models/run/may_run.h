// Whether a document may be trained, asked before a run begins or goes on.
#pragma once

#include "app/document/document.h"

namespace hw::app {

/// The first error that blocks the Train node, by its own code, saying where on the canvas, also that of an instance of
/// a group; HW-G006 where there is no Train node or more than one; the weights' error where those beside the graph were
/// not taken. GUI thread.
Status may_run(const Document& document);

}  // namespace hw::app
