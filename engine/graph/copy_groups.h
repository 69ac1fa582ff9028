// Groups that go with copies of nodes: to the clipboard and into another document.
#pragma once

#include "engine/graph/edit.h"

namespace hw {

/// Adds to `part` the groups of `from` that its instances use, and those that these use.
void add_used_groups(const Graph& from, Graph& part);

/// The edits that give a document the groups of `part` which it does not have. One that it has, whatever its id there,
/// is used; where it has another one of the same id, the group gets an id that is free. Instances in `part` follow.
Edits adopt_groups(const Graph& document, Graph& part);

}  // namespace hw
