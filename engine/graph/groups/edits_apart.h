// Edits that change the instances of a group in different ways.
#pragma once

#include "engine/graph/edit.h"

namespace hw {

/// document_edits of a plan for the whole graph: instances of one group that change in different ways get definitions
/// of their own, one for those that change alike, and where a setting of an instance changes for some of its nodes,
/// these no longer follow it. An instance that shares weights with another keeps the common one. Errors: those of
/// document_edits.
Result<Edits> document_edits_apart(const Graph& document, const Edits& edits);

}  // namespace hw
