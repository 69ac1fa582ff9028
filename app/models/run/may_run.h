// Whether a document may be trained, asked before a run begins or goes on.
#pragma once

#include "app/document/document.h"
#include "engine/train/checkpoint.h"

namespace hw::app {

/// The first error that blocks the Train node, by its own code, saying where on the canvas, also that of an instance of
/// a group; HW-G006 where there is no Train node or more than one; the weights' error where those beside the graph were
/// not taken. GUI thread.
Status may_run(const Document& document);
/// Whether a training that may run may go on from a checkpoint, asked before what is trained is given up for it. Error
/// HW-F005: another seed, or parameters that do not fit. Quick: reads no element. GUI thread.
Status may_resume(const Document& document, const Checkpoint& from);

}  // namespace hw::app
