// Groups that go with copies of nodes: to the clipboard and into another document.
#pragma once

#include <string>
#include <vector>

#include "engine/graph/edit.h"

namespace hw {

/// Adds to `part` the groups of `from` that its instances use, and those that these use.
void add_used_groups(const Graph& from, Graph& part);

/// The edits that give a document the groups of `part` which it does not have. One that it has, whatever its id there,
/// is used; where it has another one of the same id, the group gets an id that is free, and with its number a title of
/// its own. Instances in `part` follow.
Edits adopt_groups(const Graph& document, Graph& part);

/// Makes of copies that come back to their document what they would be had they been made now: instances in `part` are
/// of the groups that the document has under their ids. Values and wires that such a group has no place for any more
/// are left out. A line for each group that is another than it was, and for what was left out.
std::vector<std::string> renew_groups(const Graph& document, Graph& part);

/// The title of a group that got the id `id` ("block_2") because its own was taken: "Block 2"; of none, none.
std::string numbered_title(const std::string& title, const std::string& id);

}  // namespace hw
