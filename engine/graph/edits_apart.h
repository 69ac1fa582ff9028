// Edits that change the instances of a group in different ways.
#pragma once

#include "engine/graph/edit.h"

namespace hw {

/// apply_flat_edits after each instance around a changed node has a definition of its own, unless all instances of its
/// group change alike. One that shares weights with another keeps the common one. Errors: those of apply_flat_edits,
/// after which the document is as before.
Status apply_flat_edits_apart(Graph& document, const Edits& edits);

}  // namespace hw
